import { inspect } from 'node:util';
import { CauseNames } from '../measure/causes.js';
import type { Recorder } from '../measure/samples/recorder.js';
import type { Samples } from '../measure/samples/samples.js';
import { longestText, outsideText } from '../units/text.js';

/** Longest name that a flow gives to a figure. */
const longestName = 60;
/** Names of one kind that a worker tells apart. */
const mostFigureNames = 100;
/** Lines that a worker writes in a second. Further ones are counted. */
const linesPerSecond = 20;

/** Returns a name of a flow as a figure can have it: letters, digits, spaces and `_.:-`. Others become dashes. */
export function cleanName(name: string): string {
  return outsideText(String(name).slice(0, longestName)).replaceAll(/[^\w:. -]+/g, '-') || '-';
}

/** Names figures of one kind. From `mostFigureNames` on, all further ones are `other`. */
class FigureNames {
  readonly #known = new Map<string, string>();
  readonly #names = new Set<string>();

  nameOf(name: string): string {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const cleaned = cleanName(name);
    if (!this.#names.has(cleaned) && this.#names.size >= mostFigureNames) return 'other';
    this.#names.add(cleaned);
    // Many texts may be cleaned to one name.
    if (this.#known.size < 2 * mostFigureNames) this.#known.set(name, cleaned);
    return cleaned;
  }
}

/**
 * Counts, causes, durations, checks and lines of one worker's flows. Names come from users and targets, so they are
 * bounded.
 */
export class FlowFigures {
  readonly #counts: Record<string, number> = {};
  readonly #causes: Record<string, Record<string, number>> = {};
  readonly #names = new CauseNames();
  readonly #recorders = new Map<string, Recorder>();
  readonly #namesOf = new Map<string, FigureNames>();
  #second = Number.NEGATIVE_INFINITY;
  #lines = 0;

  constructor(
    private readonly recorder: () => Recorder,
    private readonly nowNs: () => number,
    private readonly write: (text: string) => void,
  ) {}

  count(name: string, events = 1): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + events;
  }

  of(name: string): number {
    return this.#counts[name] ?? 0;
  }

  /** Counts an event, and its cause by the occasion. */
  cause(name: string, occasion: string, cause: string): void {
    this.count(name);
    this.#add(occasion, this.#names.nameOf(cause), 1);
  }

  #add(occasion: string, cause: string, events: number): void {
    const causes = this.#causes[occasion] ?? {};
    this.#causes[occasion] = causes;
    causes[cause] = (causes[cause] ?? 0) + events;
  }

  /** Counts a check. Returns its name in the figures. */
  check(given: string, isKept: boolean): string {
    const name = this.#nameOf('check', given);
    this.count('checks');
    this.count(isKept ? 'checksKept' : 'checksBroken');
    this.#add('checkKept', name, Number(isKept));
    this.#add('checkBroken', name, Number(!isKept));
    return name;
  }

  /** Counts a client among those that reached these checks. Call it once for each that ends. */
  reached(checks: Iterable<string>): void {
    for (const name of checks) this.#add('checkReached', name, 1);
  }

  time(metric: string, us: number): void {
    let recorder = this.#recorders.get(metric);
    if (recorder === undefined) {
      recorder = this.recorder();
      this.#recorders.set(metric, recorder);
    }
    recorder.record(Math.max(0, us));
  }

  /** Records a duration of a family, and of the name within it if there is one. */
  named(family: string, name: string | undefined, us: number): void {
    this.time(family, us);
    if (name !== undefined) this.time(`${family}:${this.#nameOf(family, name)}`, us);
  }

  #nameOf(family: string, name: string): string {
    const names = this.#namesOf.get(family) ?? new FigureNames();
    this.#namesOf.set(family, names);
    return names.nameOf(name);
  }

  log(client: number, words: readonly unknown[]): void {
    const second = Math.floor(this.nowNs() / 1e9);
    if (second !== this.#second) [this.#second, this.#lines] = [second, 0];
    if (this.#lines >= linesPerSecond) {
      this.count('droppedLines');
      return;
    }
    this.#lines++;
    this.write(outsideText(`client ${client}: ${words.map(wordOf).join(' ')}`));
  }

  report() {
    const samples: Record<string, Samples> = {};
    for (const [metric, recorder] of this.#recorders) samples[metric] = recorder.finish();
    return { counts: { ...this.#counts }, causes: this.#causes, samples };
  }
}

function wordOf(word: unknown): string {
  if (typeof word === 'string') return word;
  return inspect(word, { depth: 2, breakLength: Infinity, maxArrayLength: 20, maxStringLength: longestText });
}
