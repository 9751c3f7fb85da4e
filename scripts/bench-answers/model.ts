import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { bisect, errorFunction } from 'simple-statistics';
import type { PairedRounds } from '../../src/results/paired.js';

/** How a target of the simulation behaves. Deviations are of natural logarithms: 0.1 is about 10 %. */
export interface Model {
  /** The usual time of a round, in microseconds. */
  us: number;
  /** Standard deviation between fresh starts of its processes. */
  startSd: number;
  /** Standard deviation between rounds of one start. */
  roundSd: number;
  /** This share of the rounds takes so many times as long. */
  levels?: { share: number; factor: number };
  /** The first rounds of a start take longer. */
  cold?: { rounds: number; moreUs: number };
  /** It takes so many times as long in the last round of a start as in the first, and grows evenly between. */
  drift?: number;
  /** Each delivery is lost with this probability. All that arrive take equally long. */
  loss?: { share: number; subscribers: number };
}

/** Draws of the simulation, the same for the same seed. */
export interface Random {
  uniform(): number;
  normal(): number;
}

/** A source of draws. */
export function randomOf(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  const uniform = (): number => uniformFloat64(generator);
  // Box and Muller 1958.
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

/** The rig may have added two parts of a hundred. */
const leastShare = 0.98;

/** The rounds of one start of a target, as the product reads them from a run. */
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
 * The median of all rounds that all starts of this target can have, in microseconds. A round whose median never arrives
 * ranks last, so this is infinite if half of them have none. The truth of a comparison is the ratio of two of these.
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

/** With so many lost, the median is among them: by nearest rank, it is the delivery at half of those that are owed. */
function lateFrom({ loss }: Model): number {
  return loss ? loss.subscribers - Math.ceil(loss.subscribers / 2) + 1 : 1;
}

/** The probability that the median of a round never arrives. */
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
