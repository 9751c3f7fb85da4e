import { shareOf } from '../../src/units/text.js';
import type { Bench, BenchContext, Bound, Finding } from '../bench-rig/bench.js';
import { bounds, type CaseRow, type CountName, judgedIn } from './tally.js';

/** How a bench of answers is run. */
export interface AnswerContext extends BenchContext {
  /** How often to repeat, instead of the number that the bench is meant for. */
  times: number | undefined;
  /** Where the product keeps what it measures. */
  directory: string;
  /** Keeps an entry with the outcome: what one repeat said. */
  note(entry: Readonly<Record<string, unknown>>): void;
  /** Adds a row to the table of cases. */
  row(row: CaseRow): void;
}

/** One claim about the answers of the product. It ends every process that it starts. */
export interface AnswerBench extends Pick<Bench, 'name' | 'bounds'> {
  run(context: AnswerContext): Promise<Finding[]>;
}

/** A bound on the share of repeats in which a claim may fail. */
export function atMostShare(what: string, atMost: number): Bound {
  return { what, atMost, print: (share) => `${Number((share * 100).toFixed(2))} %` };
}

/** The finding of that bound over all repeats. Without a repeat there is none: NaN keeps no bound. */
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

/** How often a bench repeats: as asked, else its own number, or fewer for a first look. */
export function repeatsOf(
  { times, isQuick }: Pick<AnswerContext, 'times' | 'isQuick'>,
  own: { full: number; quick: number },
): number {
  return times ?? (isQuick ? own.quick : own.full);
}

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
