import { disorderIn, edgesOf, isCapped, majority, type SearchShape, type Tried } from '../rates.js';
import type { Finding, FindingPoint } from './schema.js';

/** An interval wider than this share of its lower end is no answer. */
const widest = 0.5;

/** What a search says, and why it says nothing more; `endedBecause` is empty if the search came to its end. */
export function answerOf(
  points: readonly FindingPoint[],
  tried: readonly Tried[],
  shape: SearchShape,
  endedBecause: string,
): Pick<Finding, 'answer' | 'why'> {
  const { keptUpTo, failedFrom, interval } = edgesOf(tried);
  const votesAt = (at: number) => tried.find(({ ratePerSecond }) => ratePerSecond === at)?.votes ?? [];
  const [good, jammed] = (['good', 'jammed'] as const).map((side) => (at: number): string => {
    const votes = votesAt(at);
    return `${votes.filter((vote) => vote === side).length} of ${votes.length} runs`;
  }) as [(at: number) => string, (at: number) => string];
  const why: string[] = [];
  if (tried.length === 0) why.push('no rate could be judged');
  if (endedBecause !== '') why.push(endedBecause);
  if (isCapped(tried, shape)) why.push(`${points.length} runs did not prove where the threshold breaks`);
  const [broken, above] = disorderIn(tried);
  if (broken !== undefined && above !== undefined)
    why.push(`${inWords(above)} kept the threshold in ${good(above)}, and ${inWords(broken)} broke it in ${jammed(broken)}`);
  if (failedFrom !== null && majority(votesAt(failedFrom)) === 'doubtful')
    why.push(`the runs at ${inWords(failedFrom)} take no side: ${doubtsAt(points, failedFrom)}`);
  const [low, high] = interval;
  if (keptUpTo !== null && failedFrom !== null && why.length === 0 && isWide(low, high))
    why.push(`runs at the same rate disagree: ${tornIn(tried)}`);
  if (why.length > 0) return { answer: 'undecided', why };
  return { answer: failedFrom === null ? 'keptAtAll' : keptUpTo === null ? 'brokenAtAll' : 'found', why };
}

function isWide(low: number | null, high: number | null): boolean {
  return low === null || high === null || high > low * (1 + widest);
}

function doubtsAt(points: readonly FindingPoint[], at: number): string {
  const last = points.findLast(({ ratePerSecond, vote }) => ratePerSecond === at && vote === 'doubtful');
  return last?.doubts.join('; ') ?? '';
}

function tornIn(tried: readonly Tried[]): string {
  const torn = tried.filter(({ votes }) => new Set(votes).size > 1).sort((a, b) => a.ratePerSecond - b.ratePerSecond);
  const told = torn.map(({ ratePerSecond, votes }) => {
    const kept = votes.filter((vote) => vote === 'good').length;
    return `${kept} of ${votes.length} kept the threshold at ${inWords(ratePerSecond)}`;
  });
  return told.join(', ');
}

/** A rate to three digits. */
export function inWords(perSecond: number): string {
  return `${Number(perSecond.toPrecision(3))}/s`;
}
