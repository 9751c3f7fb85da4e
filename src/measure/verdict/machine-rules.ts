import { allowedUs, figureOf, rigPart, usInMs } from './brackets.js';
import { type FigureRule, type Mark, percent, type RunFacts, type ShardFacts, wholePercent } from './facts.js';
import { bracketsOf } from './loop-rules.js';

/** On up to twenty cores, less than one core is then idle. */
const coresBusyFrom = 0.95;
/** The kernel counts busy time in ticks of 10 ms, too few of them in a shorter window. */
const leastWindowMs = 1000;
/** A fifth of the window: the target, too, stood still for about as long. */
const stolenAbove = 0.2;

/** A loop that waits for its core for a smaller share of the time is not noticed. */
const behindAbove = 0.1;
/** The slow shard waits this many times as long as the median shard. */
const behindTimes = 1.5;
const fewestShards = 3;

/** Names the rule that applies if nothing on a machine was idle. */
export const coresBusy = 'cores-busy';

/** Lists the rules for machines under the rig that can add to figures. */
export const machineRules: readonly FigureRule[] = [
  {
    rule: coresBusy,
    level: 'figure',
    cause: 'no idle core',
    threshold: `all cores of a machine are busy ${wholePercent(coresBusyFrom)} of at least ${leastWindowMs / 1000} s`,
    reason: 'without an idle core the rig waits for what else runs on the machine',
    marks: (facts) => {
      const [busiest] = facts.shards
        .filter(isLongEnough)
        .map((shard) => ({ shard, busy: meanBusy(shard) }))
        .filter(({ busy }) => busy >= coresBusyFrom)
        .sort((a, b) => b.busy - a.busy);
      if (busiest === undefined) return [];
      const cores = coresIn(busiest.shard.coreBusy.length, busiest.shard.label);
      const text = `${cores} busy ${percent(busiest.busy)} of the time`;
      const stamped = wholeMetrics(facts, text, ({ stampedBy, atLeast }) => !!stampedBy && atLeast === undefined);
      return [...bracketsOf(facts, text), ...stamped];
    },
  },
  {
    rule: 'shard-behind',
    level: 'figure',
    cause: 'a shard without CPU',
    threshold:
      `of ${fewestShards} shards or more, a loop of one waits for a core ${wholePercent(behindAbove)} of the time ` +
      `(at least ${leastWindowMs / 1000} s), and ${behindTimes} times as long as those of the median shard`,
    reason: 'a shard with less CPU than the others stamps its part late, and only its part',
    marks: (facts) => {
      const waits = facts.shards.filter(isLongEnough).map((shard) => ({ label: shard.label, share: waitShare(shard) }));
      const ascending = waits.toSorted((a, b) => a.share - b.share);
      const [middle, last] = [ascending[Math.floor((ascending.length - 1) / 2)], ascending.at(-1)];
      if (waits.length < fewestShards || !middle || !last) return [];
      if (last.share <= behindAbove || last.share < middle.share * behindTimes) return [];
      const others = `beside ${percent(middle.share)} in the median shard`;
      return bracketsOf(facts, `${last.label} waited for a core ${percent(last.share)} of the time, ${others}`);
    },
  },
  {
    rule: 'steal',
    level: 'figure',
    cause: 'CPU that the hypervisor took',
    threshold: `the hypervisor takes more than ${wholePercent(stolenAbove)} of at least ${leastWindowMs / 1000} s`,
    reason:
      'the target stands still in stolen time as well as the rig, so no latency is a property of the target alone',
    marks: (facts) => {
      const [most] = facts.shards
        .filter(isLongEnough)
        .map(({ label, stolenShare = 0 }) => ({ label, stolenShare }))
        .filter(({ stolenShare }) => stolenShare > stolenAbove)
        .sort((a, b) => b.stolenShare - a.stolenShare);
      if (most === undefined) return [];
      const text = `the hypervisor took ${percent(most.stolenShare)} of the cores under ${most.label}`;
      return wholeMetrics(facts, text, ({ of }) => of !== 'rig');
    },
  },
  {
    rule: 'calibrated-error',
    level: 'figure',
    cause: 'the error of this machine',
    threshold: `the p99 of \`calibrate\` was ${rigPart} off at a load no harder`,
    reason: 'a rig that is wrong about a known truth at a lighter load is wrong at a harder one',
    marks: (facts) => {
      const errorUs = Math.abs(facts.calibratedErrorUs ?? 0);
      return Object.entries(facts.declared).flatMap(([metric, { isDelivery }]): Mark[] => {
        const p99 = figureOf(facts, metric, 'p99');
        if (!isDelivery || p99 === null || errorUs <= allowedUs(p99)) return [];
        const error = `this machine’s rig was off by ${usInMs(errorUs)} at a lighter load`;
        const text = `${error}, beside a ${metric} p99 of ${usInMs(p99)}`;
        return [{ metric, figure: 'p99', leastUs: Math.max(0, p99 - errorUs), text }];
      });
    },
  },
];

function isLongEnough({ workers }: ShardFacts): boolean {
  return workers.some(({ windowMs }) => windowMs >= leastWindowMs);
}

/** Marks every measured metric that fits. Lower bounds of its figures are unknown. */
function wholeMetrics(facts: RunFacts, text: string, fits: (spec: RunFacts['declared'][string]) => boolean): Mark[] {
  return Object.entries(facts.declared).flatMap(([metric, spec]) =>
    fits(spec) && facts.metrics[metric]?.count ? [{ metric, figure: null, leastUs: 0, text }] : [],
  );
}

/** Returns the mean busy share. Zero without readings. */
function meanBusy({ coreBusy }: ShardFacts): number {
  return coreBusy.length === 0 ? 0 : coreBusy.reduce((sum, each) => sum + each, 0) / coreBusy.length;
}

function coresIn(count: number, label: string): string {
  return count === 1 ? `the one core under ${label} was` : `the ${count} cores under ${label} were`;
}

/** Returns the largest share of its time that a loop of the shard was ready without a core. */
function waitShare({ workers }: ShardFacts): number {
  const shares = workers.map(({ runQueueWaitMs, windowMs }) => (windowMs > 0 ? (runQueueWaitMs ?? 0) / windowMs : 0));
  return Math.max(0, ...shares);
}
