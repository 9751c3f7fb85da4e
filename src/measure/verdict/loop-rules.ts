import { ms, percent, wholePercent, worst } from './evidence.js';
import type { MetricFacts, VerdictRule } from './facts.js';

/** What may be the rig's of a percentile before the run is limited: a fifth of it, and never less than a millisecond. */
export const rigShareAllowed = 0.2;
export const rigFloorUs = 1000;

/** Of a percentile in microseconds, how much of it may be the rig's. */
export const allowedUs = (percentileUs: number): number => Math.max(rigFloorUs, percentileUs * rigShareAllowed);

/** Timers of Node keep time to a millisecond, and a busy machine adds another. */
const delayFloorMs = 3;
const delayShareAllowed = 0.5;
/** Busy for more of the time than this, a loop queues what arrives in a burst. */
export const busyAbove = 0.9;
const starvedAbove = 0.1;
/** Every loop has pauses of a few milliseconds. */
const gcFloorMs = 10;
/** What lies beyond is of so few samples that one stall of the machine can make them all: `doubtsOf` speaks of it. */
const bracketed = ['p50', 'p90', 'p95', 'p99'] as const;

/** What speaks against single event loops of the rig. */
export const loopRules: readonly VerdictRule[] = [
  {
    rule: 'receive-lag',
    level: 'limited',
    threshold: `${wholePercent(rigShareAllowed)} and ${rigFloorUs / 1000} ms between \`delivery\` and \`deliveryAtLeast\`, at a percentile up to p99`,
    reason:
      'the time that frames may have waited in our own event loop is known for each; it must be a small part of what is reported',
    check: ({ metrics }) => {
      for (const name of bracketed) {
        const whole = metrics.delivery?.[name] ?? null;
        const least = metrics.deliveryAtLeast?.[name] ?? null;
        if (whole !== null && least !== null && whole - least > allowedUs(whole)) {
          return `delivery ${name} ${ms(whole / 1000)} may hold up to ${ms((whole - least) / 1000)} of waiting in the rig`;
        }
      }
      return undefined;
    },
  },
  {
    rule: 'loop-delay',
    level: 'limited',
    threshold: `a delay, in one of a hundred instants and in more than one, of ${wholePercent(delayShareAllowed)} of the p99 that the loop stamps or, of few samples, of the highest percentile they carry; and of ${delayFloorMs} ms`,
    reason:
      'what a loop stamps by itself can be late by the delay of that loop, which must stay below half of what is reported',
    check: ({ shards, metrics, stampedBy }) => {
      for (const [metric, role] of Object.entries(stampedBy)) {
        const tail = tailOf(metrics[metric]);
        if (tail === undefined || role === 'ramp') continue;
        const allowedMs = Math.max(delayFloorMs, (tail.us / 1000) * delayShareAllowed);
        const found = worst(
          shards,
          ({ holdsSubscribers, loopDelayP99Ms }) =>
            holdsSubscribers === (role === 'audience') && loopDelayP99Ms > allowedMs ? loopDelayP99Ms : 0,
          (label, value) =>
            `${label} ran up to ${ms(value)} late, beside a ${metric} ${tail.name} of ${ms(tail.us / 1000)}`,
        );
        if (found !== undefined) return found;
      }
      return undefined;
    },
  },
  {
    rule: 'publish-lag',
    level: 'limited',
    threshold: `${wholePercent(rigShareAllowed)} of the p99 of \`deliveryFromIntended\` or, of few samples, of the highest percentile they carry, and ${rigFloorUs / 1000} ms: as much between it and that of \`delivery\`, and in the p99 of \`publishLag\`, or in its max where the publishes carry none`,
    reason:
      'a publish that the rig itself sent late is part of every latency from the intended instant; what it adds to a percentile is no more than lies between the two latencies',
    check: ({ metrics }) => {
      const tail = tailOf(metrics.deliveryFromIntended);
      const { publishLag: lags } = metrics;
      const lag = lags?.p99 ?? lags?.max ?? null;
      if (tail === undefined || lag === null) return undefined;
      const sinceSent = metrics.delivery?.[tail.name] ?? 0;
      return Math.min(lag, tail.us - sinceSent) > allowedUs(tail.us)
        ? `publishes left up to ${ms(lag / 1000)} late (${lags?.p99 === null ? 'max' : 'p99'}), beside a deliveryFromIntended ${tail.name} of ${ms(tail.us / 1000)}`
        : undefined;
    },
  },
  {
    rule: 'loop-utilization',
    level: 'limited',
    threshold: `a loop with subscribers busy ${wholePercent(busyAbove)} of the window`,
    reason: 'a loop that is busy nine tenths of the time queues whatever arrives in a burst',
    check: ({ shards }) =>
      worst(
        shards,
        (worker) => (worker.holdsSubscribers && worker.utilization > busyAbove ? worker.utilization : 0),
        (label, value) => `${label} was busy ${percent(value)} of the time`,
      ),
  },
  {
    rule: 'core-starved',
    level: 'limited',
    threshold: `a worker ready to run, and without a core, ${wholePercent(starvedAbove)} of the window`,
    reason:
      'a worker that was ready to run but had no core stamped late by as much; a tenth of the window touches the percentiles',
    check: ({ shards }) =>
      worst(
        shards,
        ({ runQueueWaitMs, windowMs }) => waitShare(runQueueWaitMs, windowMs),
        (label, value) => `${label} waited for a core ${percent(value)} of the time`,
      ),
  },
  {
    rule: 'gc-pause',
    level: 'limited',
    threshold: `one pause longer than the p99 of \`delivery\`, and than ${gcFloorMs} ms, where p99 or max may hold as much as \`receive-lag\` forbids`,
    reason:
      'a pause of the collector delays every stamp behind it; one longer than the p99 can be the p99, unless no delivery took as long as the pause, or the bracket shows that it moved neither p99 nor max',
    check: ({ shards, metrics }) => {
      const { p99 = null, max = null } = metrics.delivery ?? {};
      if (p99 === null || max === null) return undefined;
      const least = metrics.deliveryAtLeast;
      const isBracketed = (whole: number, atLeast: number | null): boolean =>
        atLeast !== null && whole - atLeast <= allowedUs(whole);
      if (least && isBracketed(p99, least.p99) && isBracketed(max, least.max)) return undefined;
      const allowedMs = Math.max(p99 / 1000, gcFloorMs);
      return worst(
        shards,
        (worker) =>
          worker.holdsSubscribers && worker.gcMaxMs > allowedMs && worker.gcMaxMs * 1000 <= max ? worker.gcMaxMs : 0,
        (label, value) =>
          `${label} paused ${ms(value)} for garbage collection, beside a delivery p99 of ${ms(p99 / 1000)}`,
      );
    },
  },
];

/** The p99 or, of too few samples for it, the highest percentile that they carry; their max where they carry none. */
function tailOf(metric: MetricFacts | undefined): { name: (typeof tails)[number]; us: number } | undefined {
  for (const name of tails) {
    const us = metric?.[name] ?? null;
    if (us !== null) return { name, us };
  }
  return undefined;
}

const tails = ['p99', 'p95', 'p90', 'p50', 'max'] as const;

function waitShare(waitMs: number | null, windowMs: number): number {
  const share = waitMs === null || windowMs === 0 ? 0 : waitMs / windowMs;
  return share > starvedAbove ? share : 0;
}
