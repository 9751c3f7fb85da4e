import type { Bench, BenchContext, Bound, Finding } from '../bench-rig/bench.js';
import type { CaseRow } from './tally.js';

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
export function finding<T>(bound: Bound, repeats: readonly T[], isWrong: (repeat: T) => boolean, more = ''): Finding {
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
