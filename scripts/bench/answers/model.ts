import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { bisect, errorFunction } from 'simple-statistics';
import { changePoints } from '../../../src/measure/stats/change-points.js';
import type { PairedRounds } from '../../../src/results/paired.js';
import { type BenchContext, type Bound, type Finding, repeated } from '../judge.js';

/** Describes the behaviour of a simulated target. Deviations are of natural logarithms: 0.1 is about 10 %. */
export interface Model {
  /** The usual time of a round, in microseconds. */
  us: number;
  /** Standard deviation between fresh starts of its processes. */
  startSd: number;
  /** Standard deviation between rounds of one start. */
  roundSd: number;
  /** This share of the rounds takes longer by the factor. */
  levels?: { share: number; factor: number };
  /** The first rounds of a start take longer by this time. */
  cold?: { rounds: number; moreUs: number };
  /** The last round of a start takes this many times as long as the first. The time grows evenly between them. */
  drift?: number;
  /** Each delivery is lost with this probability. All that arrive take equally long. */
  loss?: { share: number; subscribers: number };
}

/** Draws random numbers for the simulation. The same seed gives the same numbers. */
interface Random {
  uniform(): number;
  normal(): number;
}

export function randomOf(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  const uniform = (): number => uniformFloat64(generator);
  // Box and Muller 1958.
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

/** Lower end of a median, as a share: the rig can add up to 2 %. */
const leastShare = 0.98;

/** Returns the rounds of one start of a target, in the form that the product reads from a run. */
export function drawRounds(model: Model, rounds: number, random: Random): PairedRounds {
  const ofStart = random.normal() * model.startSd;
  const lost = Array.from({ length: rounds }, () => lostIn(model, random));
  const us = lost.map((_, round) => {
    const isSlow = random.uniform() < (model.levels?.share ?? 0);
    return usualUs(model, { round, rounds, isSlow }) * Math.exp(ofStart + random.normal() * model.roundSd);
  });
  const isLate = (round: number): boolean => lost[round]! >= lateFrom(model);
  const p50Us = us.map((each, round) => (isLate(round) ? null : each));
  return {
    p50Us,
    p50AtLeastUs: p50Us.map((each) => each && each * leastShare),
    lastUs: us.map((each, round) => (lost[round]! > 0 ? null : each)),
    stolenUs: [],
    excluded: [],
    overlapping: [],
  };
}

/**
 * Returns the median of all rounds that all starts of this target can have, in microseconds. A round whose median never
 * arrives ranks last. The result is therefore infinite if half of the rounds have no median. The truth of a comparison
 * is the ratio of two such medians.
 */
export function medianUs(model: Model, rounds: number): number {
  const arrives = 1 - neverShare(model);
  if (arrives <= 0.5) return Number.POSITIVE_INFINITY;
  const slow = model.levels?.share ?? 0;
  const parts = Array.from({ length: rounds }, (_, round) => [
    { share: (1 - slow) / rounds, us: usualUs(model, { round, rounds, isSlow: false }) },
    { share: slow / rounds, us: usualUs(model, { round, rounds, isSlow: true }) },
  ]).flat();
  const sd = Math.max(Math.hypot(model.startSd, model.roundSd), 1e-6);
  const below = (at: number): number =>
    parts.reduce(
      (sum, { share, us }) => sum + (share * (1 + errorFunction((at - Math.log(us)) / sd / Math.SQRT2))) / 2,
      0,
    );
  const logs = parts.filter(({ share }) => share > 0).map(({ us }) => Math.log(us));
  const reach = 8 * sd;
  const [low, high] = [Math.min(...logs) - reach, Math.max(...logs) + reach];
  return Math.exp(bisect((at) => arrives * below(at) - 0.5, low, high, 100, 1e-9));
}

function usualUs(
  { us, drift = 1, levels, cold }: Model,
  { round, rounds, isSlow }: { round: number; rounds: number; isSlow: boolean },
): number {
  const grown = 1 + (drift - 1) * (rounds > 1 ? round / (rounds - 1) : 0);
  const level = isSlow ? (levels?.factor ?? 1) : 1;
  return us * grown * level + (cold && round < cold.rounds ? cold.moreUs : 0);
}

function lostIn({ loss }: Model, { uniform }: Random): number {
  if (!loss) return 0;
  return Array.from({ length: loss.subscribers }, uniform).filter((each) => each < loss.share).length;
}

/** Returns the number of lost deliveries from which the median is lost too. */
function lateFrom({ loss }: Model): number {
  return loss ? loss.subscribers - Math.ceil(loss.subscribers / 2) + 1 : 1;
}

/** Returns the probability that the median of a round never arrives. */
function neverShare(model: Model): number {
  if (!model.loss) return 0;
  const { share, subscribers } = model.loss;
  let [exactly, sum] = [(1 - share) ** subscribers, 0];
  for (let lost = 0; lost < lateFrom(model); lost++) {
    sum += exactly;
    exactly *= ((subscribers - lost) / (lost + 1)) * (share / (1 - share));
  }
  return 1 - sum;
}

/** Nights of a figure whose standard deviation is 3 %. A busy machine adds a fifth in one of twenty nights. */
const nights = 30;
const sd = 0.03;
const busy = { share: 0.05, times: 1.2 };
const change = 1.12;
/** Nights before and after a change, at least. */
const beside = 8;

interface Simulated {
  isFound: boolean;
  isFalse: boolean;
}

/** Simulates a series with a change and one without, and looks for changes in both. */
export function simulateNights(seed: number): Simulated {
  const random = randomOf(seed);
  const at = beside + Math.floor(random.uniform() * (nights - 2 * beside + 1));
  const series = (times: number): number[] =>
    Array.from({ length: nights }, (_, night) => {
      const ofMachine = random.uniform() < busy.share ? busy.times : 1;
      return 5000 * ofMachine * Math.exp(random.normal() * sd) * (night >= at ? times : 1);
    });
  return {
    isFound: changePoints(series(change)).some((found) => Math.abs(found - at) <= 1),
    isFalse: changePoints(series(1)).length > 0,
  };
}

/** Looks for known changes of 12 %, and for changes where there are none. */
export async function changesOverNights(
  { missed, alarms }: Record<'missed' | 'alarms', Bound>,
  context: BenchContext,
): Promise<Finding[]> {
  const repeats = await repeated(context, { full: 1000, quick: 100 }, async (repeat) => simulateNights(repeat));
  const findingOf = (bound: Bound, isWrong: (each: Simulated) => boolean): Finding => {
    const wrong = repeats.filter(isWrong).length;
    return { bound, value: wrong / repeats.length, detail: `${wrong} of ${repeats.length}` };
  };
  return [findingOf(missed, ({ isFound }) => !isFound), findingOf(alarms, ({ isFalse }) => isFalse)];
}
