import { countText, shareOf } from '../../units/text.js';
import type { MetricSpec } from '../declaration.js';
import type { LedgerEntries } from '../ledger.js';
import type { BlockTimes } from '../samples/distribution.js';
import type { ThresholdFigure } from '../threshold.js';

/** Holds the facts of a run at one rate. Times are in microseconds unless the name says otherwise. */
export interface JamFacts {
  scheduleMs: number;
  offeredPerSecond: number;
  achievedPerSecond: number;
  attempted: number;
  unacked: number;
  /** Set if no publish was accepted. Such a run may end in its warm-up. */
  untaken: string | undefined;
  /** Publishes that waited for answers to earlier ones. */
  heldBack: number;
  expected: number;
  /** Deliveries lost, including those missing at the end of the drain. */
  lost: number;
  /** Cut subscribed connections, by cause, and the death of the target, if it died. */
  cut: number;
  cutBy: string;
  gone: string | undefined;
  /** Latency from the intended instant, minus what the rig may add. */
  p50: number | null;
  /** Time from a shard's last publish to the last delivery, the longest of all shards. */
  drain: number | null;
  growthMsPerSecond: number | undefined;
  /** Lower ends of the last three, by the bounds of the figures behind them. */
  least: Partial<Pick<JamFacts, 'p50' | 'drain' | 'growthMsPerSecond'>>;
}

export interface JamSign {
  sign: string;
  /** Set if the run alone shows that the target falls behind more and more, whatever its latency is at rest. */
  isGrowth?: true;
  threshold: string;
  reason: string;
  check(facts: JamFacts, plateau: Plateau): string | undefined;
}

const keptShare = 0.98;
const faultShare = 0.001;
const plateauTimes = 3;
const floorMs = 20;
const growthFromMs = 10;
/** A drain is a maximum, so a single pause determines it. */
const drainFloorMs = 100;
const restingShare = 0.01;

const ms = (us: number): string => `${(us / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} ms`;
const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** Returns the plateau of the lowest rate. Up to 1 % may fail and get lost. */
export function restOf({ p50, attempted, unacked, expected, lost }: JamFacts) {
  return {
    p50,
    drain: p50,
    unackedShare: Math.min(restingShare, share(unacked, attempted)),
    lostShare: Math.min(restingShare, share(lost, expected)),
  };
}

/** Null is unknown and not compared. */
export type Plateau = ReturnType<typeof restOf>;

/** Lists the signs of a jam, the gravest first. One is enough. */
export const jamSigns: readonly JamSign[] = [
  {
    sign: 'connections-cut',
    threshold: 'one subscribed connection cut, or the target gone',
    reason: 'a target that keeps up loses nobody; a jammed one misses its own heartbeats',
    check: ({ gone, cut, cutBy }) =>
      gone ?? (cut > 0 ? `${countText(cut)} subscribed connections were cut: ${cutBy}` : undefined),
  },
  {
    sign: 'publishes-failed',
    threshold: `${faultShare * 100} % of publishes refused or failed, beyond the share at the lowest rate`,
    reason: 'a refused publish is no load; one in a thousand leaves room for a mishap',
    check: ({ unacked, attempted, untaken }, { unackedShare }) =>
      untaken ??
      (share(unacked, attempted) > unackedShare + faultShare
        ? `${countText(unacked)} of ${countText(attempted)} publishes were refused or failed`
        : undefined),
  },
  {
    sign: 'publishes-held-back',
    isGrowth: true,
    threshold: `achieved below ${keptShare * 100} % of the offered publishes, as answers did not come`,
    reason: 'the schedule waits only at its limit of open answers: the target then takes less than is offered',
    check: ({ heldBack, achievedPerSecond, offeredPerSecond }) => {
      if (!(heldBack > 0 && achievedPerSecond < offeredPerSecond * keptShare)) return undefined;
      const [achieved, offered] = [achievedPerSecond, offeredPerSecond].map((rate) => rate.toFixed(1));
      const waited = `${countText(heldBack)} waited for an answer to another`;
      return `took ${achieved} of ${offered} publishes a second; ${waited}`;
    },
  },
  {
    sign: 'deliveries-lost',
    threshold: `${faultShare * 100} % of deliveries missing after the drain, beyond the share at the lowest rate`,
    reason: 'a backlog that does not drain in time, and one that the target drops, end as the same loss',
    check: ({ lost, expected }, { lostShare }) => {
      if (share(lost, expected) <= lostShare + faultShare) return undefined;
      const missing = `${countText(lost)} of ${countText(expected)} deliveries (${shareOf(lost, expected)})`;
      return `${missing} were missing after the drain`;
    },
  },
  {
    sign: 'backlog-left',
    isGrowth: true,
    threshold:
      `deliveries below ${keptShare * 100} % of those offered: a drain longer than at the lowest rate by ` +
      `${((1 - keptShare) * 100).toFixed(0)} % of the schedule and ${drainFloorMs} ms`,
    reason:
      'on an open schedule of D seconds, a target that carries x less than offered needs x·D to drain; ' +
      `one pause of ${drainFloorMs} ms can hold up the last delivery`,
    check: ({ drain, scheduleMs }, plateau) => {
      if (drain === null || plateau.drain === null) return undefined;
      const excess = drain - plateau.drain;
      if (!(excess / 1000 > Math.max(drainFloorMs, scheduleMs * (1 / keptShare - 1)))) return undefined;
      const achieved = shareOf(scheduleMs, scheduleMs + excess / 1000);
      const seconds = (scheduleMs / 1000).toFixed(1);
      return `${seconds} s of publishing took ${ms(excess)} to drain: ${achieved} of the offered rate`;
    },
  },
  {
    sign: 'latency-left-plateau',
    threshold: `a p50 from the intended instant of ${plateauTimes} times the lowest rate’s, and ${floorMs} ms above it`,
    reason:
      'latency is flat until the queue grows: half the schedule above a limit by x adds half of x·D; ' +
      `a noisy machine adds less than ${floorMs} ms to a median`,
    check: ({ p50 }, plateau) =>
      p50 !== null && plateau.p50 !== null && p50 > Math.max(plateau.p50 * plateauTimes, plateau.p50 + floorMs * 1000)
        ? `p50 ${ms(p50)}, on the plateau ${ms(plateau.p50)}`
        : undefined,
  },
  {
    sign: 'backlog-grows',
    isGrowth: true,
    threshold: `deliveries later by ${growthFromMs} ms for each second of the schedule, and by ${floorMs} ms over it`,
    reason:
      'each second above a limit by x adds x of a second to the queue: 10 ms are 1 %; ' +
      'a single stall does not turn the median of all slopes between parts of the run',
    check: ({ growthMsPerSecond = 0, scheduleMs }) =>
      growthMsPerSecond >= growthFromMs && (growthMsPerSecond * scheduleMs) / 1000 >= floorMs
        ? `deliveries came ${growthMsPerSecond.toFixed(1)} ms later with each second of the schedule`
        : undefined,
  },
];

export interface Jam {
  sign: string;
  text: string;
}

/** Returns every sign that a run shows, and if it shows one even by the lower bounds of its figures. */
export function jamsOf(
  facts: JamFacts,
  plateau: Plateau,
  among: readonly JamSign[] = jamSigns,
): { signs: Jam[]; isSure: boolean } {
  const signsOf = (of: JamFacts): Jam[] =>
    among.flatMap(({ sign, check }) => {
      const text = check(of, plateau);
      return text === undefined ? [] : [{ sign, text }];
    });
  return { signs: signsOf(facts), isSure: signsOf({ ...facts, ...facts.least }).length > 0 };
}

export interface Observed {
  metrics: Readonly<Record<string, Pick<Record<ThresholdFigure, number | null>, 'p50' | 'max'>>>;
  ledger: LedgerEntries;
  declared: Readonly<Record<string, MetricSpec>>;
  /** Times when the units of each metric counted by time were due. */
  times: Readonly<Record<string, BlockTimes>>;
  growthUs(metric: string): number | undefined;
  /** Returns the least of a figure by its bounds, in microseconds. Undefined without one. */
  leastUs(metric: string, figure: ThresholdFigure): number | undefined;
}

type Ends = Pick<JamFacts, 'untaken' | 'cut' | 'cutBy' | 'gone'>;

/** Returns the facts of a run that show if the target kept up, with their lower bounds. */
export function jamFactsOf(run: Observed, ends: Ends): JamFacts {
  const { metrics, ledger } = run;
  const entry = (name: string): number => (ledger[name] as number | undefined) ?? 0;
  const timed = timedOf(run);
  const p50 = timed ? targetsP50(run, timed) : null;
  const drain = metrics.drain?.max ?? null;
  const addedUs = timed && run.growthUs(timed.metric);
  const growth = addedUs === undefined || !timed?.lastsMs ? undefined : addedUs / timed.lastsMs;
  const whole = timed && metrics[timed.metric]?.p50;
  const sure = timed && run.leastUs(timed.metric, 'p50');
  return {
    ...ends,
    scheduleMs: timed?.lastsMs ?? 0,
    offeredPerSecond: entry('offeredPerSecond'),
    achievedPerSecond: entry('achievedPerSecond'),
    attempted: entry('attempted'),
    unacked: entry('refused') + entry('failed'),
    heldBack: entry('latePublishes'),
    expected: entry('expected'),
    lost: entry('lost'),
    p50,
    drain,
    growthMsPerSecond: growth,
    least: {
      ...(p50 !== null && sure !== undefined && { p50: Math.min(p50, sure) }),
      ...(drain !== null && { drain: leastDrain(run, drain, timed ? [timed.metric, timed.sent] : []) }),
      ...(growth !== undefined && whole && sure !== undefined && { growthMsPerSecond: (growth * sure) / whole }),
    },
  };
}

/** Returns the lower bound of a drain: too long by at most the open part of the longest delivery. */
function leastDrain({ metrics, leastUs }: Observed, drain: number, deliveries: readonly string[]): number {
  const openUs = deliveries.map((metric) => {
    const whole = metrics[metric]?.max ?? 0;
    return whole - (leastUs(metric, 'max') ?? whole);
  });
  return Math.min(drain - Math.max(0, ...openUs), leastUs('drain', 'max') ?? drain);
}

type Timed = { metric: string; sent: string; atLeast: string | undefined; lag: string | undefined; lastsMs: number };

/** Returns the metric that shows a growing backlog: latency from the scheduled instant, if that is counted by time. */
function timedOf({ declared, times }: Observed): Timed | undefined {
  const metric = Object.keys(times).find((name) => declared[name]?.fromIntended) ?? Object.keys(times)[0];
  const of = times[metric ?? ''];
  if (metric === undefined || of === undefined) return undefined;
  const { sent, lag } = declared[metric]?.fromIntended ?? { sent: metric, lag: undefined };
  return { metric, sent, atLeast: declared[sent]?.atLeast, lag, lastsMs: of.units * of.everyMs };
}

/** Returns the p50 from the intended instant, minus what the rig can add at the median: read lag and publish lag. */
function targetsP50({ metrics }: Observed, { metric, sent, atLeast, lag }: Timed): number | null {
  const whole = metrics[metric]?.p50 ?? null;
  const p50Of = (name: string | undefined, without: number): number => metrics[name ?? '']?.p50 ?? without;
  const sinceSent = p50Of(sent, 0);
  const readLag = Math.max(0, sinceSent - p50Of(atLeast, sinceSent));
  return whole === null ? null : Math.max(0, whole - readLag - p50Of(lag, 0));
}
