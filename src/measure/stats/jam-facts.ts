import type { MetricSpec } from '../declaration.js';
import type { LedgerEntries } from '../ledger.js';
import type { BlockTimes } from '../samples/over-time.js';
import type { ThresholdFigure } from '../threshold.js';
import type { JamFacts } from './jam.js';

/** A run as its facts are read from it. */
export interface Observed {
  metrics: Readonly<Record<string, Pick<Record<ThresholdFigure, number | null>, 'p50' | 'max'>>>;
  ledger: LedgerEntries;
  declared: Readonly<Record<string, MetricSpec>>;
  /** When the units of each metric were due that is counted by time. */
  times: Readonly<Record<string, BlockTimes>>;
  /** How much latency a metric added over the whole schedule, in microseconds. */
  growthUs(metric: string): number | undefined;
  /** The least that the marks at a figure leave of it, in microseconds; undefined without a mark. */
  leastUs(metric: string, figure: ThresholdFigure): number | undefined;
}

/** How clients and publishes ended. */
type Ends = Pick<JamFacts, 'untaken' | 'cut' | 'cutBy' | 'gone'>;

/** The facts of a run that show whether the target kept up, and the least that they can be. */
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

/** A drain ends with the last delivery, so it is at most by that longer which the longest delivery may be. */
function leastDrain({ metrics, leastUs }: Observed, drain: number, deliveries: readonly string[]): number {
  const openUs = deliveries.map((metric) => {
    const whole = metrics[metric]?.max ?? 0;
    return whole - (leastUs(metric, 'max') ?? whole);
  });
  return Math.min(drain - Math.max(0, ...openUs), leastUs('drain', 'max') ?? drain);
}

type Timed = { metric: string; sent: string; atLeast: string | undefined; lag: string | undefined; lastsMs: number };

/** The metric that shows a growing backlog: latency from the scheduled instant, where that is counted by time. */
function timedOf({ declared, times }: Observed): Timed | undefined {
  const metric = Object.keys(times).find((name) => declared[name]?.fromIntended) ?? Object.keys(times)[0];
  const of = times[metric ?? ''];
  if (metric === undefined || of === undefined) return undefined;
  const { sent, lag } = declared[metric]?.fromIntended ?? { sent: metric, lag: undefined };
  return { metric, sent, atLeast: declared[sent]?.atLeast, lag, lastsMs: of.units * of.everyMs };
}

/** The p50 from the intended instant, less what the rig can add at the median: read lag and publish lag. */
function targetsP50({ metrics }: Observed, { metric, sent, atLeast, lag }: Timed): number | null {
  const whole = metrics[metric]?.p50 ?? null;
  const p50Of = (name: string | undefined, without: number): number => metrics[name ?? '']?.p50 ?? without;
  const sinceSent = p50Of(sent, 0);
  const readLag = Math.max(0, sinceSent - p50Of(atLeast, sinceSent));
  return whole === null ? null : Math.max(0, whole - readLag - p50Of(lag, 0));
}
