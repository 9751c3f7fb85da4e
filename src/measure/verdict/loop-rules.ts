import type { ThresholdFigure } from '../threshold.js';
import {
  boundsOf,
  bracketsOf,
  type DeclaredMetric,
  type FigureBound,
  type FigureRule,
  figureOf,
  isOpen,
  leastByBracketUs,
  ms,
  openPart,
  percent,
  type RunFacts,
  type ShardFacts,
  usInMs,
  type WorkerFacts,
  wholeBound,
  wholePercent,
  worst,
} from './facts.js';

/** Timers of Node keep time to a millisecond. A busy machine adds another. */
const delayFloorMs = 3;
const delayShareAllowed = 0.5;
/** A loop that is busy for more than this share of the time queues what arrives in a burst. */
export const busyAbove = 0.9;
const starvedAbove = 0.1;
/** Share of a loop that code of flows may take. */
const userCodeAbove = 0.2;
const delayPart = wholePercent(delayShareAllowed);

/** Lists the rules for single event loops of the rig that can add to figures. */
export const loopRules: readonly FigureRule[] = [
  {
    rule: 'receive-lag',
    cause: 'waiting in the load generator',
    threshold: `the bracket of a figure leaves ${openPart} of it open`,
    reason: 'a frame may have waited so long for its loop, for a core, or with its send in the load generator',
    bounds: (facts) =>
      Object.entries(facts.declared).flatMap(([metric, { fromIntended, partOf }]) => {
        const sent = partOf ?? fromIntended?.sent ?? metric;
        return openBounds(
          facts,
          metric,
          (figure) => {
            const [whole, least] = [figureOf(facts, sent, figure), leastByBracketUs(facts, sent, figure)];
            return whole === null || least === null ? 0 : whole - least;
          },
          (mostUs) => `${metric} may hold up to ${usInMs(mostUs)} of waiting in the load generator`,
        );
      }),
  },
  {
    rule: 'publish-lag',
    cause: 'late sends',
    threshold: `late sends can add ${openPart} to a figure from the scheduled instant`,
    reason:
      'a late send is part of each latency from the scheduled instant, at most the difference to that from the send',
    bounds: (facts) =>
      Object.entries(facts.declared).flatMap(([metric, { fromIntended }]) => {
        const lags = fromIntended && facts.metrics[fromIntended.lag];
        if (fromIntended === undefined || lags === undefined) return [];
        return openBounds(
          facts,
          metric,
          (figure, us) => {
            const sinceSent = figureOf(facts, fromIntended.sent, figure);
            const lag = lags[figure] ?? lags.max;
            return sinceSent === null || lag === null ? 0 : Math.min(lag, us - sinceSent);
          },
          (mostUs) => `${metric} may hold up to ${usInMs(mostUs)} by which sends left late`,
        );
      }),
  },
  {
    rule: 'loop-delay',
    cause: 'a late event loop',
    threshold:
      `an event loop that times a figure alone is late by ${delayFloorMs} ms and ${delayPart} of its tail, ` +
      `or has no core more than ${wholePercent(starvedAbove)} of the time`,
    reason: 'a stamp can be late by the delay of its loop, which must stay below half of what is reported',
    bounds: (facts) =>
      withoutBracket(facts, (metric, shards, tail) => {
        const allowedMs = Math.max(delayFloorMs, (tail.us / 1000) * delayShareAllowed);
        const late = worst(
          shards,
          ({ loopDelayP99Ms }) => (loopDelayP99Ms > allowedMs ? loopDelayP99Ms : 0),
          (label, value) =>
            `${label} ran up to ${ms(value)} late, beside a ${metric} ${tail.name} of ${usInMs(tail.us)}`,
        );
        const starved = worst(
          shards,
          ({ runQueueWaitMs, windowMs }) => waitShare(runQueueWaitMs, windowMs),
          (label, value) => `${label}, which stamps ${metric}, waited for a core ${percent(value)} of the time`,
        );
        return late ?? starved;
      }),
  },
  {
    rule: 'loop-utilization',
    cause: 'a busy event loop',
    threshold: `a loop with subscribers is busy more than ${wholePercent(busyAbove)} of the time`,
    reason: 'a loop that busy queues whatever arrives in a burst',
    bounds: (facts) => {
      const busy = (shards: readonly ShardFacts[]): string | undefined =>
        worst(
          shards,
          ({ holdsSubscribers, utilization }) => (holdsSubscribers && utilization > busyAbove ? utilization : 0),
          (label, value) => `${label} was busy ${percent(value)} of the time`,
        );
      const text = busy(facts.shards);
      return [
        ...(text === undefined ? [] : bracketsOf(facts, text)),
        ...withoutBracket(facts, (_metric, shards) => busy(shards)),
      ];
    },
  },
  {
    rule: 'user-code',
    cause: 'your own code',
    threshold:
      `the code of flows runs on a loop more than ${wholePercent(userCodeAbove)} of the load, ` +
      'or native threads wait that long for the loop',
    reason:
      'meanwhile the loop sends and stamps nothing; stamps of the kernel, as of deliveries on the native engine, ' +
      'are not late',
    bounds: (facts) => {
      const text = userCodeInWords(facts.shards);
      if (text === undefined) return [];
      const isOfLoops = facts.shards.some(({ stampedByLoops }) => stampedByLoops);
      return [
        ...bracketsOf(facts, text, ({ stampedBy }) => isOfLoops || stampedBy === 'audience'),
        ...withoutBracket(facts, (_metric, shards) => userCodeInWords(shards)),
      ];
    },
  },
];

function userCodeInWords(shards: readonly ShardFacts[]): string | undefined {
  const above = (of: 'ranMs' | 'heldUpMs') => (worker: WorkerFacts) => {
    const { windowMs = 0, [of]: lastedMs = 0 } = worker.userCode ?? {};
    return windowMs > 0 && lastedMs / windowMs > userCodeAbove ? lastedMs / windowMs : 0;
  };
  const ran = worst(
    shards,
    above('ranMs'),
    (label, value) => `code of flows ran ${percent(value)} of the load on ${label}`,
  );
  if (ran !== undefined) return ran;
  const waited = 'native threads, whose stamps are exact, waited';
  return worst(shards, above('heldUpMs'), (label, value) => `${waited} ${percent(value)} of the load for ${label}`);
}

/** Bounds each figure whose open part, in microseconds, is not small. */
function openBounds(
  facts: RunFacts,
  metric: string,
  openUs: (figure: ThresholdFigure, us: number) => number,
  say: (mostUs: number) => string,
): FigureBound[] {
  const partOf = (figure: ThresholdFigure, us: number) => {
    const part = Math.min(us, openUs(figure, us));
    return { openUs: part, leastUs: leastByBracketUs(facts, metric, figure) ?? us - part };
  };
  return boundsOf(facts, metric, partOf, isOpen, say);
}

const tails = ['p99', 'p95', 'p90', 'p50', 'max'] as const;

type Tail = { name: (typeof tails)[number]; us: number };

/** Bounds whole metrics that loops stamp without a bracket, by the state of those loops while they stamped. */
function withoutBracket(
  facts: RunFacts,
  say: (metric: string, shards: ShardFacts[], tail: Tail) => string | undefined,
): FigureBound[] {
  return Object.entries(facts.declared).flatMap(([metric, { stampedBy, atLeast }]) => {
    if (stampedBy === undefined || atLeast !== undefined) return [];
    // The p99, or else the highest percentile that its samples carry, or else their max.
    const name = tails.find((figure) => figureOf(facts, metric, figure) !== null);
    if (name === undefined) return [];
    const tail = { name, us: figureOf(facts, metric, name)! };
    const text = say(metric, loopsThatStamp(facts, stampedBy), tail);
    return text === undefined ? [] : [wholeBound(metric, text)];
  });
}

function loopsThatStamp({ shards }: RunFacts, stampedBy: NonNullable<DeclaredMetric['stampedBy']>): ShardFacts[] {
  return shards.map((shard) => ({
    ...shard,
    workers: shard.workers.flatMap(({ ramp, ...worker }) => {
      if (worker.holdsSubscribers !== (stampedBy !== 'publisher')) return [];
      if (stampedBy !== 'ramp') return [worker];
      return ramp ? [{ ...worker, ...ramp, label: `${worker.label}, in the ramp,` }] : [];
    }),
  }));
}

function waitShare(waitMs: number | null, windowMs: number): number {
  const share = waitMs === null || windowMs === 0 ? 0 : waitMs / windowMs;
  return share > starvedAbove ? share : 0;
}
