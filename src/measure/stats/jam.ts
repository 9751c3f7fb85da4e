import { count, shareOf } from '../../units/words.js';

/** What a run at one rate says of whether the target kept up with it. Times in microseconds unless the name says otherwise. */
export interface JamFacts {
  /** Length of the measured schedule. */
  scheduleMs: number;
  offeredPerSecond: number;
  achievedPerSecond: number;
  attempted: number;
  /** Refused and failed. */
  unacked: number;
  /** That no publish was taken, in words; such a run can end within its warm-up, of which the counts have nothing. */
  untaken: string | undefined;
  /** Publishes that waited because as many answers as may be awaited were. */
  heldBack: number;
  expected: number;
  /** Those that had not arrived by the end of the drain among them. */
  lost: number;
  /** Connections that were cut once they were subscribed, by cause in words; and how the target went, if it did. */
  cut: number;
  cutBy: string;
  gone: string | undefined;
  /** Median of the latency from the intended instant, less what the rig itself can have added at the median. */
  p50: number | null;
  /** From the last publish of a shard to the last delivery of its broadcasts, of all shards the longest. */
  drain: number | null;
  /** How much later a delivery comes for each second of the schedule, in milliseconds, by the medians of its parts. */
  growthMsPerSecond: number | undefined;
}

/** What the target does far below its limit: the medians of the runs at the lowest rate. What is null is not known, and nothing is held against it. */
export interface Plateau {
  p50: number | null;
  drain: number | null;
  unackedShare: number;
  lostShare: number;
}

/** One way in which a jam shows. `check` gives the evidence, with the figures, or nothing. */
export interface JamSign {
  sign: string;
  /** From where on it shows. */
  threshold: string;
  /** Why the threshold stands there. */
  reason: string;
  check(facts: JamFacts, plateau: Plateau): string | undefined;
}

const keptShare = 0.98;
const faultShare = 0.001;
const plateauTimes = 3;
const floorMs = 20;
const growthFromMs = 10;
/** A drain is a maximum, which one pause of a process or one core lent elsewhere makes. */
const drainFloorMs = 100;
const restingShare = 0.01;

const ms = (us: number): string => `${(us / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} ms`;
const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/**
 * What a run at the lowest rate is held against, which has no lower one: it may fail and lose up to a hundredth by order, and its last delivery comes
 * about as late as the median one.
 */
export function restOf({ p50, attempted, unacked, expected, lost }: JamFacts): Plateau {
  return {
    p50,
    drain: p50,
    unackedShare: Math.min(restingShare, share(unacked, attempted)),
    lostShare: Math.min(restingShare, share(lost, expected)),
  };
}

/** The signs of a jam, the gravest first. One is enough. */
export const jamSigns: readonly JamSign[] = [
  {
    sign: 'connections-cut',
    threshold: 'one subscribed connection cut, or the target gone',
    reason: 'a target that keeps up has no reason to lose anybody; one that is jammed misses its own heartbeats',
    check: ({ gone, cut, cutBy }) =>
      gone ?? (cut > 0 ? `${count(cut)} subscribed connections were cut: ${cutBy}` : undefined),
  },
  {
    sign: 'publishes-failed',
    threshold: `${faultShare * 100} % of publishes refused or failed, beyond the share at the lowest rate`,
    reason: 'what is not taken is no load that was carried; one in a thousand leaves room for a single mishap',
    check: ({ unacked, attempted, untaken }, { unackedShare }) =>
      untaken ??
      (share(unacked, attempted) > unackedShare + faultShare
        ? `${count(unacked)} of ${count(attempted)} publishes were refused or failed`
        : undefined),
  },
  {
    sign: 'publishes-held-back',
    threshold: `achieved below ${keptShare * 100} % of the offered publishes, held back by answers that did not come`,
    reason:
      'the schedule is open up to a bound of answers awaited: one that meets it finds the target taking less than is offered',
    check: ({ heldBack, achievedPerSecond, offeredPerSecond }) =>
      heldBack > 0 && achievedPerSecond < offeredPerSecond * keptShare
        ? `took ${achievedPerSecond.toFixed(1)} of ${offeredPerSecond.toFixed(1)} publishes a second; ${count(heldBack)} waited for an answer to another`
        : undefined,
  },
  {
    sign: 'deliveries-lost',
    threshold: `${faultShare * 100} % of deliveries not there at the end of the drain, beyond the share at the lowest rate`,
    reason: 'a backlog that does not drain in time, and one that the target throws away, end as the same loss',
    check: ({ lost, expected }, { lostShare }) =>
      share(lost, expected) > lostShare + faultShare
        ? `${count(lost)} of ${count(expected)} deliveries (${shareOf(lost, expected)}) were lost or not there by the end of the drain`
        : undefined,
  },
  {
    sign: 'backlog-left',
    threshold: `deliveries achieved below ${keptShare * 100} % of those offered: a drain that is longer than at the lowest rate by ${((1 - keptShare) * 100).toFixed(0)} % of the schedule, and by ${drainFloorMs} ms`,
    reason: `on an open schedule of D seconds, a target that carries x less than is offered needs x·D to drain; a drain ends with the last delivery of all, which one pause of ${drainFloorMs} ms can hold up`,
    check: ({ drain, scheduleMs }, plateau) => {
      if (drain === null || plateau.drain === null) return undefined;
      const excess = drain - plateau.drain;
      return excess / 1000 > Math.max(drainFloorMs, scheduleMs * (1 / keptShare - 1))
        ? `the backlog took ${ms(excess)} to drain after ${(scheduleMs / 1000).toFixed(1)} s of publishing: ${shareOf(scheduleMs, scheduleMs + excess / 1000)} of the deliveries offered a second were achieved`
        : undefined;
    },
  },
  {
    sign: 'latency-left-plateau',
    threshold: `a p50 from the intended instant of ${plateauTimes} times that at the lowest rate, and ${floorMs} ms above it`,
    reason:
      'latency is flat until the queue grows, then it is the queue: half the schedule above a limit by x adds half of x·D; 20 ms is more than a noisy machine adds to a median',
    check: ({ p50 }, plateau) =>
      p50 !== null && plateau.p50 !== null && p50 > Math.max(plateau.p50 * plateauTimes, plateau.p50 + floorMs * 1000)
        ? `p50 ${ms(p50)}, on the plateau ${ms(plateau.p50)}`
        : undefined,
  },
  {
    sign: 'backlog-grows',
    threshold: `deliveries later by ${growthFromMs} ms for each second of the schedule, and by ${floorMs} ms over it`,
    reason:
      'each second above a limit by x adds x of a second to the queue: 10 ms are 1 %; the slope is the median of all slopes between parts of the run, which a single stall does not turn',
    check: ({ growthMsPerSecond = 0, scheduleMs }) =>
      growthMsPerSecond >= growthFromMs && (growthMsPerSecond * scheduleMs) / 1000 >= floorMs
        ? `deliveries came ${growthMsPerSecond.toFixed(1)} ms later with each second of the schedule`
        : undefined,
  },
];

/** Every sign of a jam that a run shows, with its evidence. */
export function jamsOf(facts: JamFacts, plateau: Plateau): { sign: string; text: string }[] {
  return jamSigns.flatMap(({ sign, check }) => {
    const text = check(facts, plateau);
    return text === undefined ? [] : [{ sign, text }];
  });
}
