/** What one run says of its rate: kept up with, jammed, or nothing of the target, because the rig may have written it or the run is void. */
export type Vote = 'good' | 'jammed' | 'doubtful';

/** A rate, and what every run at it said. */
export interface Tried {
  ratePerSecond: number;
  votes: readonly Vote[];
}

/** Where and how closely a knee is looked for. */
export interface SearchShape {
  minRate: number;
  maxRate: number;
  /** The edges of the knee lie no further apart than this share of the lower. */
  precision: number;
  /** Runs that must agree at each edge. */
  repeat: number;
}

/** What a search has found: the highest rate that was kept up with and the lowest that was not, each by its runs' majority. */
export interface Edges {
  keptUpTo: number | null;
  failedFrom: number | null;
  /** Between the highest rate at which no run jammed and the lowest at which none kept up: where runs disagree, it is wider. */
  interval: [low: number | null, high: number | null];
}

/** A search of noise, in which nothing is ever settled, ends all the same: after so many runs for each that must agree. */
const runsPerRepeat = 40;

/**
 * The next rate to run at: the lowest until it is settled, then doubled to the first that jams, then the geometric middle of the gap until it is no
 * wider than the precision; a rate whose runs disagree, or say nothing, is run again at once, and at the end each edge until it is settled, which can
 * move it and open the gap again. Where runs disagree at all rates above, it then goes up to one where they do not. Undefined when both edges stand, when even the lowest rate fails or the highest is kept up with, or when the
 * most runs were made.
 */
export function nextRate(tried: readonly Tried[], shape: SearchShape): number | undefined {
  return areMost(tried, shape) ? undefined : openRate(tried, shape);
}

/** Whether the most runs were made and left something open: the edges are then not proven. */
export function isCapped(tried: readonly Tried[], shape: SearchShape): boolean {
  return areMost(tried, shape) && openRate(tried, shape) !== undefined;
}

function areMost(tried: readonly Tried[], { repeat }: SearchShape): boolean {
  return tried.reduce((runs, { votes }) => runs + votes.length, 0) >= runsPerRepeat * repeat;
}

function openRate(tried: readonly Tried[], shape: SearchShape): number | undefined {
  const { minRate, maxRate, precision, repeat } = shape;
  const isOpen = (rate: number): boolean =>
    !isSettled(tried.find(({ ratePerSecond }) => ratePerSecond === rate)?.votes ?? [], repeat);
  if (isOpen(minRate)) return minRate;
  const torn = tried.find(({ votes }) => isTorn(votes) && !isSettled(votes, repeat));
  if (torn) return torn.ratePerSecond;
  const { keptUpTo, failedFrom, interval } = edgesOf(tried);
  if (keptUpTo === null) return undefined;
  if (failedFrom === null) {
    if (keptUpTo < maxRate) return Math.min(maxRate, keptUpTo * 2);
    return isOpen(keptUpTo) ? keptUpTo : undefined;
  }
  if (failedFrom > keptUpTo * (1 + precision)) return readable(Math.sqrt(keptUpTo * failedFrom), keptUpTo, failedFrom);
  const unproven = [keptUpTo, failedFrom].find(isOpen);
  if (unproven !== undefined || interval[1] !== null) return unproven;
  const highest = Math.max(...tried.map(({ ratePerSecond }) => ratePerSecond));
  return highest < maxRate ? readable(highest * (1 + 2 * precision), highest, maxRate) : undefined;
}

/**
 * Whether these runs decide their rate: as many as must agree do, and none disagrees; or a majority of the most that are made says one thing; or all of
 * those were made. A doubtful run takes no side.
 */
export function isSettled(votes: readonly Vote[], repeat: number): boolean {
  const most = 2 * repeat + 1;
  const { good, jammed, doubtful } = tally(votes);
  const isAgreed = Math.min(good, jammed) === 0 && Math.max(good, jammed) >= repeat;
  return isAgreed || Math.max(good, jammed, doubtful) > most / 2 || votes.length >= most;
}

/** Whether the runs disagree, or one of them says nothing: what made it doubtful may pass. */
function isTorn(votes: readonly Vote[]): boolean {
  return new Set(votes).size > 1 || votes.includes('doubtful');
}

/** What most of the runs say that take a side, of equals what speaks against the target; nothing, where more take none. */
export function majority(votes: readonly Vote[]): Vote {
  const { good, jammed, doubtful } = tally(votes);
  if (doubtful > good + jammed) return 'doubtful';
  return jammed >= good ? 'jammed' : 'good';
}

/** The edges of what was tried. A rate that kept up above one that did not is no edge. */
export function edgesOf(tried: readonly Tried[]): Edges {
  const ratesWhere = (is: (point: Tried) => boolean): number[] =>
    tried.filter(is).map(({ ratePerSecond }) => ratePerSecond);
  const failedFrom = least(ratesWhere(({ votes }) => majority(votes) !== 'good'));
  const isBelow = (rate: number): boolean => failedFrom === null || rate < failedFrom;
  const keptUpTo = greatest(ratesWhere(({ votes }) => majority(votes) === 'good').filter(isBelow));
  const isGoodInAll = ({ votes }: Tried): boolean => !votes.includes('jammed') && majority(votes) === 'good';
  const low = greatest(ratesWhere(isGoodInAll).filter(isBelow));
  const high = least(ratesWhere(({ votes }) => !votes.includes('good')).filter((rate) => !isBelow(rate)));
  return { keptUpTo, failedFrom, interval: [low, high] };
}

function tally(votes: readonly Vote[]): Record<Vote, number> {
  const counts = { good: 0, jammed: 0, doubtful: 0 };
  for (const vote of votes) counts[vote]++;
  return counts;
}

const least = (rates: readonly number[]): number | null => (rates.length > 0 ? Math.min(...rates) : null);
const greatest = (rates: readonly number[]): number | null => (rates.length > 0 ? Math.max(...rates) : null);

/** Four digits of a rate are enough to be read, where they still lie inside the gap; a rate beyond it is its end. */
function readable(rate: number, above: number, below: number): number {
  const rounded = Number(rate.toPrecision(4));
  return rounded > above && rounded < below ? rounded : Math.min(rate, below);
}
