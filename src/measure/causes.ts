import { sum } from 'simple-statistics';
import { outsideText } from '../units/text.js';
import { sumCauses, sumCounts, sumTimelines } from './samples/sample-sum.js';

/** Names how far a client came: to nothing, to an open WebSocket, or to the end of the protocol's own handshake. */
export const talkSteps = ['connecting', 'opened', 'ready'] as const;

export type Step = (typeof talkSteps)[number];

/** A client that did not come up: its last step, and the beginnings of its first messages in both directions. */
export interface Example {
  step: (typeof talkSteps)[number];
  sent?: string | undefined;
  received?: string | undefined;
}

/** Holds what clients sent and received: an example of each cause, and messages that no rule knows. */
export interface Talk {
  examples: Record<string, Example>;
  others: number;
  firstOther?: string | undefined;
}

export function talkTogether(all: readonly (Talk | undefined)[]): Talk {
  return all.reduce<Talk>(
    (sum, talk) => ({
      examples: { ...talk?.examples, ...sum.examples },
      others: sum.others + (talk?.others ?? 0),
      firstOther: sum.firstOther ?? talk?.firstOther,
    }),
    { examples: {}, others: 0 },
  );
}

export function isSilent({ examples, others }: Talk): boolean {
  return others === 0 && Object.keys(examples).length === 0;
}

export const mostCauses = 64;

export const otherCause = 'other';

/** Names causes for counting. A detail is cleaned. Causes beyond `mostCauses` become `other`. */
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

/** Renames causes for readers: the target does not answer for what the end of a run left unanswered. */
export function readableCauses(occasion: string, causes: Record<string, number>): Record<string, number> {
  const { ours = 0, ...others } = causes;
  const isPublish = occasion === 'publish' || occasion === 'warmUp';
  return isPublish && ours > 0 ? { ...others, 'unanswered when the run ended': ours } : causes;
}

/** Holds counts by occasion and cause, and counts per second. The names of those are a word, a space and the cause. */
export interface ByCause {
  causes: Record<string, Record<string, number>>;
  timeline: Record<string, number[]>;
}

/** Adds the counts of workers or shards. The sum also has at most `mostCauses`. */
export function sumByCause(list: readonly ByCause[]): ByCause {
  return withFewCauses({
    causes: sumCauses(list.map(({ causes }) => causes)),
    timeline: sumTimelines(list.map(({ timeline }) => timeline)),
  });
}

/** Returns the counts with at most `mostCauses` names: those without a detail, then the commonest. */
export function withFewCauses({ causes, timeline }: ByCause): ByCause {
  const seconds = Object.entries(timeline).map(([name, values]) => ({ ...partsOf(name), values }));
  const totals = sumCounts([
    ...Object.values(causes),
    ...seconds.map(({ cause, values }) => (cause === '' ? {} : { [cause]: sum(values) })),
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

/** Renames each count. Counts whose names become equal add up. */
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
