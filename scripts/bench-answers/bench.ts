import { shareOf } from '../../src/units/text.js';
import type { Bench, BenchContext, Bound, Finding } from '../bench-rig/bench.js';
import { bounds, type CaseRow, type CountName, judgedIn } from './tally.js';

/** Holds the settings of a bench of answers. */
export interface AnswerContext extends BenchContext {
  /** Number of repeats. By default, the bench uses its own number. */
  times: number | undefined;
  /** Directory in which the product keeps its results. */
  directory: string;
  /** Keeps an entry with the outcome of one repeat. */
  note(entry: Readonly<Record<string, unknown>>): void;
  /** Adds a row to the table of cases. */
  row(row: CaseRow): void;
}

/** Describes one claim about the answers of the product. A bench ends every process that it starts. */
export interface AnswerBench extends Pick<Bench, 'name' | 'bounds'> {
  run(context: AnswerContext): Promise<Finding[]>;
}

/** Returns a bound on the share of repeats in which a claim can fail. */
export function atMostShare(what: string, atMost: number): Bound {
  return { what, atMost, print: (share) => `${Number((share * 100).toFixed(2))} %` };
}

/** Returns the finding for that bound over all repeats. Without a repeat the value is NaN, which keeps no bound. */
export function shareFinding<T>(
  bound: Bound,
  repeats: readonly T[],
  isWrong: (repeat: T) => boolean,
  more = '',
): Finding {
  const wrong = repeats.filter(isWrong).length;
  const detail = [`${wrong} of ${repeats.length}`, ...(more === '' ? [] : [more])].join('; ');
  return { bound, value: wrong / repeats.length, detail };
}

/** Returns the number of repeats: the requested one, or else the bench's own, which is lower in quick mode. */
export function repeatsOf(
  { times, isQuick }: Pick<AnswerContext, 'times' | 'isQuick'>,
  own: { full: number; quick: number },
): number {
  return times ?? (isQuick ? own.quick : own.full);
}

/** Maps what the cases of a bench count to a bound. Each bound must hold in all cases. */
export type CaseBounds = ReadonlyMap<CountName, Bound>;

/** Returns these bounds for the bench of that name. */
export function boundsFor(bench: string, names: readonly CountName[]): CaseBounds {
  return new Map(
    names.map((name) => {
      const { title, atMost } = bounds[name];
      const what = `${bench}: cases with more than ${Number((atMost * 100).toFixed(2))} % ${title}`;
      return [name, { what, atMost: 0, print: (cases: number) => `${cases}` }];
    }),
  );
}

/** Returns one finding for each bound, with the number and the names of the cases that break it. */
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
