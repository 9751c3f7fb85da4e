import { ms, percent, wholePercent, worst } from './evidence.js';
import type { VerdictRule, WorkerFacts } from './facts.js';

/** What may be the rig's of a percentile before the run is limited: a fifth of it, and never less than a millisecond. */
export const rigShareAllowed = 0.2;
export const rigFloorUs = 1000;

/** Of a percentile in microseconds, how much of it may be the rig's. */
export const allowedUs = (percentileUs: number): number => Math.max(rigFloorUs, percentileUs * rigShareAllowed);

/** Timers of Node keep time to a millisecond, and a busy machine adds another. */
const delayFloorMs = 3;
const delayShareAllowed = 0.5;
/** A single stall that covers more than this share of the window touches the p99 of what arrives in it. */
const stallShare = 0.01;
/** Busy for more of the time than this, a loop queues what arrives in a burst. */
export const busyAbove = 0.9;
const starvedAbove = 0.1;
/** Every loop has pauses of a few milliseconds. */
const gcFloorMs = 10;

/** What speaks against single event loops of the rig. */
export const loopRules: readonly VerdictRule[] = [
  {
    rule: 'receive-lag',
    level: 'limited',
    threshold: `${wholePercent(rigShareAllowed)} and ${rigFloorUs / 1000} ms between \`delivery\` and \`deliveryAtLeast\`, at p50 or p99`,
    reason:
      'the time that frames may have waited in our own event loop is known for each; it must be a small part of what is reported',
    check: ({ metrics }) => {
      for (const name of ['p50', 'p99'] as const) {
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
    threshold: `a delay of ${wholePercent(delayShareAllowed)} of the p99 that the loop stamps, and of ${delayFloorMs} ms`,
    reason:
      'what a loop stamps by itself can be late by the delay of that loop, which must stay below half of what is reported',
    check: ({ shards, metrics, stampedBy }) => {
      for (const [name, role] of Object.entries(stampedBy)) {
        const p99 = metrics[name]?.p99 ?? null;
        if (p99 === null) continue;
        const allowedMs = Math.max(delayFloorMs, (p99 / 1000) * delayShareAllowed);
        const found = worst(
          shards,
          (worker) =>
            worker.holdsSubscribers === (role === 'audience') && loopDelay(worker) > allowedMs ? loopDelay(worker) : 0,
          (label, value) => `${label} ran up to ${ms(value)} late, beside a ${name} p99 of ${ms(p99 / 1000)}`,
        );
        if (found !== undefined) return found;
      }
      return undefined;
    },
  },
  {
    rule: 'publish-lag',
    level: 'limited',
    threshold: `${wholePercent(rigShareAllowed)} of the p99 of \`deliveryFromIntended\`, and ${rigFloorUs / 1000} ms: as much in the p99 of \`publishLag\`, and between that p99 and the one of \`delivery\``,
    reason:
      'a publish that the rig itself sent late is part of every latency from the intended instant; what it adds to the p99 is no more than lies between the two latencies',
    check: ({ metrics }) => {
      const lag = metrics.publishLag?.p99 ?? null;
      const whole = metrics.deliveryFromIntended?.p99 ?? null;
      const sinceSent = metrics.delivery?.p99 ?? 0;
      return lag !== null && whole !== null && Math.min(lag, whole - sinceSent) > allowedUs(whole)
        ? `publishes left up to ${ms(lag / 1000)} late (p99), beside a deliveryFromIntended p99 of ${ms(whole / 1000)}`
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

/** How late a loop's stamps can be at their p99, in milliseconds. */
function loopDelay({ loopDelayP99Ms, loopDelayMaxMs, windowMs }: WorkerFacts): number {
  return windowMs > 0 && loopDelayMaxMs / windowMs > stallShare ? loopDelayMaxMs : loopDelayP99Ms;
}

function waitShare(waitMs: number | null, windowMs: number): number {
  const share = waitMs === null || windowMs === 0 ? 0 : waitMs / windowMs;
  return share > starvedAbove ? share : 0;
}
