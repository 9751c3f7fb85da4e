import { z } from 'zod';
import { outsideSentence, outsideSentences } from '../../../contract/problems.js';
import type { Holds } from '../../../measure/statement.js';
import { resultVersion, tool } from '../../../results/result.js';
import { searchTry } from '../judge.js';
import { disorderIn, edgesOf, isCapped, majority, type SearchShape, type Tried } from '../rates.js';

const figure = z.number().nullable();

/** One run of a search: it is good if it kept the threshold and did not fall behind ever more. */
const findingPoint = searchTry.extend({
  /** How long its load was to last. */
  durationMs: z.number(),
  figure,
  /** The least that the figure can be, by its bracket and all marks. */
  leastUs: figure,
});

export type FindingPoint = z.output<typeof findingPoint>;

export const findingFile = 'finding.json';

/** What a search says of its threshold. */
export const findAnswers = ['found', 'keptAtAll', 'brokenAtAll', 'undecided'] as const;

/** `finding.json`: up to which rate a target keeps a threshold. Rates are per second, figures in microseconds. */
export const findResult = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  scenario: z.string(),
  target: z.string(),
  metric: z.string(),
  percentile: z.string(),
  unit: z.string(),
  limit: z.number(),
  repeat: z.number().int(),
  /** The shortest load of a run. */
  durationMs: z.number(),
  answer: z.enum(findAnswers),
  /** Why it is undecided. */
  why: outsideSentences,
  /** From the highest rate that all its runs kept to the lowest that none of its runs kept. */
  interval: z.tuple([figure, figure]),
  /** Why no further rate ran, where something else than the answer ended the search. */
  endedBecause: outsideSentence,
  points: z.array(findingPoint),
});

export type FindResult = z.output<typeof findResult>;

/** An interval wider than this share of its lower end is no answer. */
const widest = 0.5;

/** What a search says, and why it says nothing more; `endedBecause` is empty if the search came to its end. */
export function findAnswer(
  points: readonly FindingPoint[],
  tried: readonly Tried[],
  shape: SearchShape,
  endedBecause: string,
): Pick<FindResult, 'answer' | 'why'> {
  const { keptUpTo, failedFrom, interval } = edgesOf(tried);
  const [low, high] = interval;
  const why = [
    ...(endedBecause === '' ? [] : [endedBecause]),
    ...(isCapped(tried, shape) ? [`${points.length} runs did not prove where the threshold breaks`] : []),
    ...outOfOrder(tried),
    ...[...new Set([failedFrom, high])].flatMap((at) => (at === null ? [] : sidelessAt(points, tried, at))),
  ];
  if (tried.length === 0 && why.length === 0) why.push('no rate could be judged');
  if (keptUpTo !== null && failedFrom !== null && why.length === 0 && isWide(low, high))
    why.push(`runs at the same rate disagree: ${tornIn(tried)}`);
  if (why.length > 0) return { answer: 'undecided', why };
  return { answer: failedFrom === null ? 'keptAtAll' : keptUpTo === null ? 'brokenAtAll' : 'found', why };
}

function outOfOrder(tried: readonly Tried[]): string[] {
  const [broken, above] = disorderIn(tried);
  if (broken === undefined || above === undefined) return [];
  const share = (at: number, side: Holds): string => {
    const votes = votesAt(tried, at);
    return `${votes.filter((holds) => holds === side).length} of ${votes.length} runs`;
  };
  const kept = `${rateInWords(above)} kept the threshold in ${share(above, 'yes')}`;
  return [`${kept}, and ${rateInWords(broken)} broke it in ${share(broken, 'no')}`];
}

/** Why most runs at a rate take no side, if they do not. */
function sidelessAt(points: readonly FindingPoint[], tried: readonly Tried[], at: number): string[] {
  if (majority(votesAt(tried, at)) !== 'open') return [];
  const last = points.findLast(({ ratePerSecond, holds }) => ratePerSecond === at && holds === 'open');
  return [`the runs at ${rateInWords(at)} take no side: ${last?.doubts.join('; ')}`];
}

function votesAt(tried: readonly Tried[], at: number): readonly Holds[] {
  return tried.find(({ ratePerSecond }) => ratePerSecond === at)?.votes ?? [];
}

function isWide(low: number | null, high: number | null): boolean {
  return low === null || high === null || high > low * (1 + widest);
}

function tornIn(tried: readonly Tried[]): string {
  const torn = tried.filter(({ votes }) => new Set(votes).size > 1).sort((a, b) => a.ratePerSecond - b.ratePerSecond);
  const told = torn.map(({ ratePerSecond, votes }) => {
    const kept = votes.filter((holds) => holds === 'yes').length;
    return `${kept} of ${votes.length} kept the threshold at ${rateInWords(ratePerSecond)}`;
  });
  return told.join(', ');
}

/** A rate to three digits. */
export function rateInWords(perSecond: number): string {
  return `${Number(perSecond.toPrecision(3))}/s`;
}
