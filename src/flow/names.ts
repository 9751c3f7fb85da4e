import { outsideText } from '../units/text.js';

/** Longest name that a flow gives to a figure. */
const longestName = 60;
/** Names of one kind that a worker tells apart. */
export const mostFigureNames = 100;
/** Name of all figures beyond `mostFigureNames`. */
export const otherName = 'other';

/** Returns a name of a flow as a figure can have it: letters, digits, spaces and `_.:-`. Others become dashes. */
export function cleanName(name: string): string {
  return outsideText(String(name).slice(0, longestName)).replaceAll(/[^\w:. -]+/g, '-') || '-';
}

/** Names figures of one kind. From `mostFigureNames` on, all further ones are `other`. */
export class FigureNames {
  readonly #known = new Map<string, string>();
  readonly #names = new Set<string>();

  nameOf(name: string): string {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const cleaned = cleanName(name);
    const isKnown = this.#names.has(cleaned);
    if (!isKnown && this.#names.size >= mostFigureNames) return otherName;
    this.#names.add(cleaned);
    // Many texts may be cleaned to one name.
    if (this.#known.size < 2 * mostFigureNames) this.#known.set(name, cleaned);
    return cleaned;
  }
}
