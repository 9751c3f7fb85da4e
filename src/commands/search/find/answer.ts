import type { Holds } from '../../../measure/statement.js';
import type { FindingPoint, FindResult } from '../../../results/search.js';
import { plural } from '../../../units/text.js';
import { disorderIn, edgesOf, isCapped, majority, type SearchShape, type Tried } from '../rates.js';

/** An interval wider than this share of its lower end is no answer. */
const widest = 0.5;

/** Returns the answer of a search, and why it is undecided. `endedBecause` is empty if it came to its end. */
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

/** Says why most runs at a rate take no side; empty if they take one. */
function sidelessAt(points: readonly FindingPoint[], tried: readonly Tried[], at: number): string[] {
  if (majority(votesAt(tried, at)) !== 'open') return [];
  const last = points.findLast(({ ratePerSecond, holds }) => ratePerSecond === at && holds === 'open');
  const [first = '', ...more] = last?.why ?? [];
  const others = more.length > 0 ? `, and for ${plural(more.length, 'more reason')} that the table names` : '';
  return [`the runs at ${rateInWords(at)} take no side: ${first}${others}`];
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

/** Renders a rate to three digits. */
export function rateInWords(perSecond: number): string {
  return `${Number(perSecond.toPrecision(3))}/s`;
}
