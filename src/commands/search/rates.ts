import type { Holds } from '../../measure/statement.js';

export interface Tried {
  ratePerSecond: number;
  votes: readonly Holds[];
}

/** The range and the precision of a search. Without `startRate` the lowest rate is proven before any other. */
export interface SearchShape {
  minRate: number;
  maxRate: number;
  /** The edges lie no further apart than this share of the lower one. */
  precision: number;
  repeat: number;
  startRate?: number;
  /** By default 40 for each run that must agree, so that even a search of noise ends. */
  runsAtMost?: number;
  /** No further run begins after this time. */
  mostMs?: number;
}

/** Holds the highest rate that was good and the lowest that was not, each by the majority of its runs. */
export interface Edges {
  keptUpTo: number | null;
  failedFrom: number | null;
  /** From the highest rate without a jam to the lowest without a good run. It is wider where runs disagree. */
  interval: [low: number | null, high: number | null];
}

/** Returns the next rate to run, or undefined when the search is over. */
export function nextRate(tried: readonly Tried[], shape: SearchShape): number | undefined {
  return areMost(tried, shape) ? undefined : openRate(tried, shape);
}

/** Returns true if the most runs were made and the edges are still unproven. */
export function isCapped(tried: readonly Tried[], shape: SearchShape): boolean {
  return areMost(tried, shape) && openRate(tried, shape) !== undefined;
}

function areMost(tried: readonly Tried[], { repeat, runsAtMost = 40 * repeat }: SearchShape): boolean {
  return tried.reduce((runs, { votes }) => runs + votes.length, 0) >= runsAtMost;
}

/**
 * Doubles the rate while it is good and halves it while it is not, then takes the geometric middle of the gap. Rates
 * whose runs disagree run again at once. Edges and ends of the interval run until settled, which may reopen the gap.
 */
function openRate(tried: readonly Tried[], shape: SearchShape): number | undefined {
  const { minRate, maxRate, precision, repeat, startRate } = shape;
  const isOpen = (rate: number): boolean => !isSettled(votesAt(tried, rate), repeat);
  if (startRate === undefined && isOpen(minRate)) return minRate;
  if (startRate !== undefined && votesAt(tried, startRate).length === 0) return startRate;
  const torn = tried.find(
    ({ votes }) => (new Set(votes).size > 1 || votes.includes('open')) && !isSettled(votes, repeat),
  );
  if (torn) return torn.ratePerSecond;
  const { keptUpTo, failedFrom, interval } = edgesOf(tried);
  if (failedFrom === null) {
    const highest = keptUpTo as number;
    if (highest < maxRate) return Math.min(maxRate, highest * 2);
    return isOpen(highest) ? highest : undefined;
  }
  const outOfOrder = disorderIn(tried).find(isOpen);
  if (outOfOrder !== undefined) return outOfOrder;
  if (keptUpTo === null) {
    if (failedFrom > minRate) return Math.max(minRate, failedFrom / 2);
    return isOpen(failedFrom) ? failedFrom : undefined;
  }
  const isWide = (below: number, above: number): boolean => above > below * (1 + precision);
  const between = (below: number, above: number): number => readable(Math.sqrt(below * above), below, above);
  if (isWide(keptUpTo, failedFrom)) return between(keptUpTo, failedFrom);
  const unproven = [keptUpTo, failedFrom, ...interval].find((rate) => rate !== null && isOpen(rate));
  if (typeof unproven === 'number') return unproven;
  const rates = tried.map(({ ratePerSecond }) => ratePerSecond);
  const [lowest, highest, step] = [Math.min(...rates), Math.max(...rates), 1 + 2 * precision];
  const [low, high] = interval;
  if (high === null && highest < maxRate) return readable(highest * step, highest, maxRate);
  if (low === null && lowest > minRate) return Math.max(minRate, Number((lowest / step).toPrecision(4)));
  // These lie between an end and the rate beside it at which runs disagree.
  const [above, below] = [
    least(rates.filter((rate) => rate > (low ?? rate))),
    greatest(rates.filter((rate) => rate < (high ?? rate))),
  ];
  if (low !== null && above !== null && isWide(low, above)) return between(low, above);
  return high !== null && below !== null && isWide(below, high) ? between(below, high) : undefined;
}

/** Returns true if enough runs agree and none disagrees, a majority exists, or 2 × repeat + 1 were made. */
export function isSettled(votes: readonly Holds[], repeat: number): boolean {
  const most = 2 * repeat + 1;
  const { yes, no, open } = tally(votes);
  const isAgreed = Math.min(yes, no) === 0 && Math.max(yes, no) >= repeat;
  return isAgreed || Math.max(yes, no, open) > most / 2 || votes.length >= most;
}

/** Returns the side that most runs take. A tie counts as jammed. The result is open if most runs take no side. */
export function majority(votes: readonly Holds[]): Holds {
  const { yes, no, open } = tally(votes);
  if (open > yes + no) return 'open';
  return no >= yes ? 'no' : 'yes';
}

/** Returns the edges of the tried rates. A good rate above one that was not good is no edge. */
export function edgesOf(tried: readonly Tried[]): Edges {
  const good = ratesWhere(tried, isGood);
  const failedFrom = least(ratesWhere(tried, (point) => !isGood(point)));
  const isBelow = (rate: number): boolean => failedFrom === null || rate < failedFrom;
  const isAboveAllGood = (rate: number): boolean => !isBelow(rate) && rate > (greatest(good) ?? 0);
  const isGoodInAll = (point: Tried): boolean => !point.votes.includes('no') && isGood(point);
  const low = greatest(ratesWhere(tried, isGoodInAll).filter(isBelow));
  const high = least(ratesWhere(tried, ({ votes }) => !votes.includes('yes')).filter(isAboveAllGood));
  return { keptUpTo: greatest(good.filter(isBelow)), failedFrom, interval: [low, high] };
}

/** Returns the lowest rate that was not good and the lowest good one above it; empty where all rates are in order. */
export function disorderIn(tried: readonly Tried[]): number[] {
  const failedFrom = least(ratesWhere(tried, (point) => !isGood(point))) ?? Number.POSITIVE_INFINITY;
  const above = least(ratesWhere(tried, isGood).filter((rate) => rate > failedFrom));
  return above === null ? [] : [failedFrom, above];
}

/** Returns the votes of all runs at a rate. */
export function votesAt(tried: readonly Tried[], rate: number): readonly Holds[] {
  return tried.find(({ ratePerSecond }) => ratePerSecond === rate)?.votes ?? [];
}

/** Groups runs of a search by their rates, in the order of the first run at each. */
export function byRate(tries: readonly { ratePerSecond: number; holds: Holds }[]): Tried[] {
  return [...new Set(tries.map(({ ratePerSecond }) => ratePerSecond))].map((ratePerSecond) => ({
    ratePerSecond,
    votes: tries.filter((one) => one.ratePerSecond === ratePerSecond).map(({ holds }) => holds),
  }));
}

const isGood = ({ votes }: Tried): boolean => majority(votes) === 'yes';

function ratesWhere(tried: readonly Tried[], is: (point: Tried) => boolean): number[] {
  return tried.filter(is).map(({ ratePerSecond }) => ratePerSecond);
}

function tally(votes: readonly Holds[]): Record<Holds, number> {
  const counts = { yes: 0, no: 0, open: 0 };
  for (const holds of votes) counts[holds]++;
  return counts;
}

const least = (rates: readonly number[]): number | null => (rates.length > 0 ? Math.min(...rates) : null);
const greatest = (rates: readonly number[]): number | null => (rates.length > 0 ? Math.max(...rates) : null);

function readable(rate: number, above: number, below: number): number {
  const rounded = Number(rate.toPrecision(4));
  return rounded > above && rounded < below ? rounded : Math.min(rate, below);
}
