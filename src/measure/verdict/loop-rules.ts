import { allowedUs, bracketed, figureOf, firstOf, rigPart, tailOf, usInMs, waitedUs } from './brackets.js';
import { ms, percent, wholePercent, worst } from './evidence.js';
import type { VerdictRule } from './facts.js';

/** Timers of Node keep time to a millisecond, and a busy machine adds another. */
const delayFloorMs = 3;
const delayShareAllowed = 0.5;
/** Busy for more of the time than this, a loop queues what arrives in a burst. */
export const busyAbove = 0.9;
const starvedAbove = 0.1;
/** Every loop has pauses of a few milliseconds. */
const gcFloorMs = 10;
const delayPart = wholePercent(delayShareAllowed);

/** What speaks against single event loops of the rig. */
export const loopRules: readonly VerdictRule[] = [
  {
    rule: 'receive-lag',
    level: 'limited',
    threshold: `${rigPart} of a percentile up to p99 may be waiting in the rig, by the metric’s bracket`,
    reason:
      'the rig knows how long each frame may have waited in its own loop; that must stay a small part of a figure',
    check: (facts) =>
      firstOf(facts, (metric) => {
        for (const figure of bracketed) {
          const whole = figureOf(facts, metric, figure) ?? 0;
          const waited = waitedUs(facts, metric, figure) ?? 0;
          if (waited > allowedUs(whole))
            return `${metric} ${figure} ${usInMs(whole)} may hold up to ${usInMs(waited)} of waiting in the rig`;
        }
        return undefined;
      }),
  },
  {
    rule: 'loop-delay',
    level: 'limited',
    threshold: `a loop’s p99 delay is over ${delayFloorMs} ms and ${delayPart} of the tail (up to p99) it stamps`,
    reason: 'a stamp can be late by the delay of its loop, which must stay below half of what is reported',
    check: (facts) =>
      firstOf(facts, (metric, { stampedBy }) => {
        const tail = tailOf(facts.metrics[metric]);
        if (tail === undefined || stampedBy === undefined || stampedBy === 'ramp') return undefined;
        const allowedMs = Math.max(delayFloorMs, (tail.us / 1000) * delayShareAllowed);
        return worst(
          facts.shards,
          ({ holdsSubscribers, loopDelayP99Ms }) =>
            holdsSubscribers === (stampedBy === 'audience') && loopDelayP99Ms > allowedMs ? loopDelayP99Ms : 0,
          (label, value) =>
            `${label} ran up to ${ms(value)} late, beside a ${metric} ${tail.name} of ${usInMs(tail.us)}`,
        );
      }),
  },
  {
    rule: 'publish-lag',
    level: 'limited',
    threshold: `late sends can add ${rigPart} to the tail (up to p99) from the scheduled instant`,
    reason:
      'a late send is part of each latency from the scheduled instant, at most the difference to that from the send',
    check: (facts) =>
      firstOf(facts, (metric, { fromIntended }) => {
        const tail = tailOf(facts.metrics[metric]);
        const lags = fromIntended && facts.metrics[fromIntended.lag];
        const lag = lags?.p99 ?? lags?.max ?? null;
        if (tail === undefined || fromIntended === undefined || lag === null) return undefined;
        const sinceSent = figureOf(facts, fromIntended.sent, tail.name) ?? 0;
        if (Math.min(lag, tail.us - sinceSent) <= allowedUs(tail.us)) return undefined;
        const lagName = lags?.p99 === null ? 'max' : 'p99';
        const late = `sends left up to ${usInMs(lag)} late (${lagName})`;
        return `${late}, beside a ${metric} ${tail.name} of ${usInMs(tail.us)}`;
      }),
  },
  {
    rule: 'loop-utilization',
    level: 'limited',
    threshold: `a loop with subscribers is busy more than ${wholePercent(busyAbove)} of the time`,
    reason: 'a loop that busy queues whatever arrives in a burst',
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
    threshold: `a worker is ready to run but has no core more than ${wholePercent(starvedAbove)} of the time`,
    reason: 'a worker without a core stamps late, and a tenth of the time touches the percentiles',
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
    threshold: `a pause exceeds ${gcFloorMs} ms and a bracketed p99, unless the bracket clears p99 and max`,
    reason: 'a pause of the collector delays every stamp behind it; one longer than the p99 can be the p99',
    check: (facts) =>
      firstOf(facts, (metric, { atLeast }) => {
        const { p99 = null, max = null } = facts.metrics[metric] ?? {};
        if (atLeast === undefined || p99 === null || max === null) return undefined;
        const isCleared = (figure: 'p99' | 'max', us: number): boolean =>
          (waitedUs(facts, metric, figure) ?? Number.POSITIVE_INFINITY) <= allowedUs(us);
        if (isCleared('p99', p99) && isCleared('max', max)) return undefined;
        const allowedMs = Math.max(p99 / 1000, gcFloorMs);
        return worst(
          facts.shards,
          ({ holdsSubscribers, gcMaxMs }) =>
            holdsSubscribers && gcMaxMs > allowedMs && gcMaxMs * 1000 <= max ? gcMaxMs : 0,
          (label, value) =>
            `${label} paused ${ms(value)} for garbage collection, beside a ${metric} p99 of ${usInMs(p99)}`,
        );
      }),
  },
];

function waitShare(waitMs: number | null, windowMs: number): number {
  const share = waitMs === null || windowMs === 0 ? 0 : waitMs / windowMs;
  return share > starvedAbove ? share : 0;
}
