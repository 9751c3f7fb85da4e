import type { Declaration } from '../../measure/declaration.js';
import { optionsOf } from '../../options/option.js';
import { units } from '../../units/list.js';

/** A scenario's options in a line: `subscribers 1k · broadcasts 100 · rate 10/s`. */
export function optionsInWords(scenario: Declaration, options: Record<string, unknown>): string {
  return optionsOf(scenario.options)
    .filter(({ key }) => options[key] !== undefined)
    .map(({ key, flag, unit }) => {
      const value = options[key];
      return `${flag} ${unit !== undefined && typeof value === 'number' ? units[unit].print(value) : String(value)}`;
    })
    .join(' · ');
}
