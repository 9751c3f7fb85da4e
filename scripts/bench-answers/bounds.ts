import { shareOf } from '../../src/units/words.js';
import type { Bound, Finding } from '../bench-rig/bench.js';
import { bounds, type CaseRow, type CountName, judgedIn } from './tally.js';

/** The bounds of a bench of cases, by what its cases count: each is broken in no case. */
export type CaseBounds = ReadonlyMap<CountName, Bound>;

/** These bounds of the bench of that name. */
export function boundsFor(bench: string, names: readonly CountName[]): CaseBounds {
  return new Map(
    names.map((name) => {
      const { title, atMost } = bounds[name];
      const what = `${bench}: cases with more than ${Number((atMost * 100).toFixed(2))} % ${title}`;
      return [name, { what, atMost: 0, print: (cases: number) => `${cases}` }];
    }),
  );
}

/** One finding for each bound: in how many cases it is broken, and in which. */
export function findingsOf(of: CaseBounds, rows: readonly CaseRow[]): Finding[] {
  return [...of].map(([name, bound]) => {
    const broken = rows.filter((row) => judgedIn(row, name) === 'broken');
    const cases = broken.map((row) => {
      const { wrong, of, pair } = row.counts[name];
      return `${row.name} (${shareOf(wrong, of)}${pair ? `, ${pair}` : ''})`;
    });
    return { bound, value: broken.length, detail: [`of ${rows.length}`, ...cases].join('; ') };
  });
}
