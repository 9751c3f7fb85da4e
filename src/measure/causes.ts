import { outsideText } from '../units/outside-text.js';
import { sumCauses, sumCounts, sumTimelines } from './samples/sums.js';

/** So many causes are told apart. */
export const mostCauses = 64;

/** What all further ones are counted as. */
export const otherCause = 'other';

/**
 * Gives each cause of one event loop the name that it is counted by. Causes with a detail may quote the target: its text is made fit, and beyond the
 * first `mostCauses` they are all `other`. Kinds without a detail are words of ours, and few.
 */
export class CauseNames {
  readonly #known = new Set<string>();

  nameOf(cause: string): string {
    const name = outsideText(cause);
    if (!name.includes(':') || this.#known.has(name)) return name;
    if (this.#known.size === mostCauses) return otherCause;
    this.#known.add(name);
    return name;
  }
}

/** Causes under the names that readers get: what the end of a run left without an answer is no word of the target. */
export function toldCauses(occasion: string, causes: Record<string, number>): Record<string, number> {
  const { ours = 0, ...others } = causes;
  const isPublish = occasion === 'publish' || occasion === 'warmUp';
  return isPublish && ours > 0 ? { ...others, 'unanswered when the run ended': ours } : causes;
}

/** What is counted by cause: by occasion, and per second under names that are a word, a space and the cause. */
export interface ByCause {
  causes: Record<string, Record<string, number>>;
  timeline: Record<string, number[]>;
}

/** Adds what several workers or shards counted by cause; the sum, too, tells at most `mostCauses` apart. */
export function sumByCause(list: readonly ByCause[]): ByCause {
  return withFewCauses({
    causes: sumCauses(list.map(({ causes }) => causes)),
    timeline: sumTimelines(list.map(({ timeline }) => timeline)),
  });
}

/**
 * The same counts with fit names, at most `mostCauses` and `other`: kinds without a detail come first, then the commonest. The choice is one for all
 * occasions and for the timeline, so that what added up by cause still does.
 */
export function withFewCauses({ causes, timeline }: ByCause): ByCause {
  const seconds = Object.entries(timeline).map(([name, values]) => ({ ...partsOf(name), values }));
  const totals = sumCounts([
    ...Object.values(causes),
    ...seconds.map(({ cause, values }) => (cause === '' ? {} : { [cause]: sumOf(values) })),
  ]);
  const kept = new Set(commonest(sumCounts(named(totals, (cause) => outsideText(cause)))));
  const nameOf = (cause: string): string => {
    const name = outsideText(cause);
    return kept.has(name) ? name : otherCause;
  };
  return {
    causes: Object.fromEntries(
      Object.entries(causes).map(([occasion, counts]) => [outsideText(occasion), sumCounts(named(counts, nameOf))]),
    ),
    timeline: sumTimelines(
      seconds.map(({ event, cause, values }) => ({
        [cause === '' ? outsideText(event) : `${outsideText(event)} ${nameOf(cause)}`]: values,
      })),
    ),
  };
}

function partsOf(name: string): { event: string; cause: string } {
  const space = name.indexOf(' ');
  return space === -1 ? { event: name, cause: '' } : { event: name.slice(0, space), cause: name.slice(space + 1) };
}

/** Each count by itself under another name: names that become one add up. */
function named(counts: Readonly<Record<string, number>>, nameOf: (cause: string) => string): Record<string, number>[] {
  return Object.entries(counts).map(([cause, times]) => ({ [nameOf(cause)]: times }));
}

function commonest(totals: Readonly<Record<string, number>>): string[] {
  const hasDetail = (cause: string): number => (cause.includes(':') ? 1 : 0);
  return Object.entries(totals)
    .filter(([cause]) => cause !== otherCause)
    .sort(([a, timesOfA], [b, timesOfB]) => hasDetail(a) - hasDetail(b) || timesOfB - timesOfA || (a < b ? -1 : 1))
    .slice(0, mostCauses)
    .map(([cause]) => cause);
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0);
