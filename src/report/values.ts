import type { HeadlineColumn } from '../contract/catalog.js';
import { count, shareOf } from '../units/words.js';
import { milliseconds } from './figures.js';

/** A figure in words, without its unit: microseconds as milliseconds, a share as a percentage, counts and bytes as they are. A figure that there is not is a dash. */
export function valueInWords(kind: HeadlineColumn['kind'], value: number | null): string {
  if (value === null) return milliseconds(null);
  switch (kind) {
    case 'figure':
      return milliseconds(value);
    case 'count':
      return countInWords(value);
    case 'share':
      return shareOf(value, 1);
    case 'footprint':
      return count(Math.round(value));
  }
}

/** A count, or a rate, which an interval makes of more digits than it has: a tenth of it from 100 on, a hundredth below. */
export function countInWords(value: number): string {
  const digits = 10 ** (Math.abs(value) < 100 ? 2 : 1);
  return count(Math.round(value * digits) / digits);
}

/** The title of a column with its unit, where the figures below it don't say theirs. */
export function titleInWords({ title, kind }: Pick<HeadlineColumn, 'title' | 'kind'>): string {
  return kind === 'figure' ? `${title}, ms` : title;
}

/** What a run has to say of a promise. */
export function promisedInWords(kind: 'figure' | 'count' | 'share', value: number | null): string {
  if (value === null) return 'no figure: too few samples, or too many that took longer than the run';
  return kind === 'figure' ? `${valueInWords(kind, value)} ms` : valueInWords(kind, value);
}
