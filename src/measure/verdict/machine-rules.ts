import type { ThresholdFigure } from '../threshold.js';
import type { Waited } from '../waits.js';
import {
  boundsOf,
  bracketsOf,
  type DeclaredMetric,
  type FigureBound,
  type FigureRule,
  figureOf,
  isNoticed,
  isOpen,
  leastByBracketUs,
  openPart,
  percent,
  type RunFacts,
  rigPart,
  type ShardFacts,
  usInMs,
  type WaitFacts,
  wholeBound,
  wholePercent,
} from './facts.js';

/** On up to twenty cores, less than one core is then idle. */
const coresBusyFrom = 0.95;
/** The kernel counts busy time in ticks of 10 ms, and the target's cores are read each half second. */
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
    cause: 'no idle core',
    threshold: `all cores of a machine are busy ${wholePercent(coresBusyFrom)} of at least ${leastWindowMs / 1000} s`,
    reason: 'without an idle core the load generator waits for what else runs on the machine',
    bounds: (facts) => {
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
    cause: 'a shard without CPU',
    threshold:
      `of ${fewestShards} shards or more, a loop of one waits for a core ${wholePercent(behindAbove)} of the time ` +
      `(at least ${leastWindowMs / 1000} s), and ${behindTimes} times as long as those of the median shard`,
    reason: 'a shard with less CPU than the others stamps its part late, and only its part',
    bounds: (facts) => {
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
    cause: 'CPU that the hypervisor took',
    threshold: `the hypervisor takes more than ${wholePercent(stolenAbove)} of at least ${leastWindowMs / 1000} s`,
    reason: 'the target stands still in stolen time, too, so no latency is a property of the target alone',
    bounds: (facts) => {
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
    cause: 'the error of this machine',
    threshold: `the p99 of \`calibrate\` was ${rigPart} off at a load no harder`,
    reason: 'a load generator that is wrong about a known truth at a lighter load is wrong at a harder one',
    bounds: (facts) => {
      const errorUs = Math.abs(facts.calibratedErrorUs ?? 0);
      return Object.entries(facts.declared).flatMap(([metric, { isDelivery }]): FigureBound[] => {
        const p99 = figureOf(facts, metric, 'p99');
        if (!isDelivery || p99 === null || !isNoticed(p99, errorUs)) return [];
        const error = `the load generator of this machine was off by ${usInMs(errorUs)} at a lighter load`;
        const text = `${error}, beside a ${metric} p99 of ${usInMs(p99)}`;
        return [{ metric, figure: 'p99', leastUs: Math.max(0, p99 - errorUs), text }];
      });
    },
  },
];

function isLongEnough({ workers }: ShardFacts): boolean {
  return workers.some(({ windowMs }) => windowMs >= leastWindowMs);
}

/** Bounds every measured metric that fits. Lower bounds of its figures are unknown. */
function wholeMetrics(
  facts: RunFacts,
  text: string,
  fits: (spec: RunFacts['declared'][string]) => boolean,
): FigureBound[] {
  return Object.entries(facts.declared).flatMap(([metric, spec]) =>
    fits(spec) && facts.metrics[metric]?.count ? [wholeBound(metric, text)] : [],
  );
}

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

/** Rarer waits affect no figure below the p99. */
const noticedFrom = 0.01;
/** At this share, waits affect most figures, also those of unknown time. */
const starvedFrom = 0.1;

/** Names the rule that applies if other programs slowed the target down, not the rig. */
export const targetStarved = 'target-starved';

/** Lists the rules for other programs on the target's machine that can add to figures. */
export const targetRules: readonly FigureRule[] = [
  {
    rule: targetStarved,
    cause: 'other programs on the target’s cores',
    threshold:
      `threads of a managed target wait for cores that others hold ${wholePercent(noticedFrom)} of at least ` +
      `${leastWindowMs / 1000} s, and a figure falls by ${rigPart} without those waits; from ` +
      `${wholePercent(starvedFrom)} on by ${openPart}, or the waits of a metric are not known by broadcast`,
    reason: 'the target could not run while other programs, or a load generator on its machine, held its cores',
    bounds: (facts) => {
      const { waits } = facts;
      if (waits === undefined) return [];
      return Object.entries(facts.declared).flatMap(([metric, spec]) => {
        const waited = spec.stampedBy === 'ramp' ? waits.ramp : waits.load;
        return shareOf(waited) < noticedFrom ? [] : starvedBounds(facts, waits, waited, [metric, spec]);
      });
    },
  },
];

const shareOf = ({ othersMs, windowMs }: Waited): number => (windowMs < leastWindowMs ? 0 : othersMs / windowMs);

function starvedBounds(
  facts: RunFacts,
  { least, ramp }: WaitFacts,
  waited: Waited,
  [metric, { of, fromIntended }]: [string, DeclaredMetric],
): FigureBound[] {
  const isStarved = shareOf(waited) >= starvedFrom;
  if (of === 'rig' || (facts.metrics[metric]?.count ?? 0) === 0) return [];
  const text = waitedInWords(waited, waited === ramp ? 'ramp' : 'load');
  const known = least[fromIntended?.sent ?? metric];
  if (known === undefined) return isStarved ? [wholeBound(metric, text)] : [];
  const partOf = (figure: ThresholdFigure, us: number) => {
    const leastUs = known[figure] ?? null;
    // Rare waits do not affect the fastest sample.
    if (leastUs === null || (figure === 'min' && !isStarved)) return undefined;
    return { openUs: (leastByBracketUs(facts, metric, figure) ?? us) - leastUs, leastUs };
  };
  return boundsOf(facts, metric, partOf, isStarved ? isOpen : isNoticed, () => text);
}

/** Describes the wait. Several threads can wait at once, so the sum may exceed the window. */
function waitedInWords({ othersMs, windowMs }: Waited, of: 'load' | 'ramp'): string {
  const [waited, took] = [(othersMs / 1000).toFixed(2), (windowMs / 1000).toFixed(1)];
  return `other programs held the target’s cores: its threads waited ${waited} s for one, in ${took} s of ${of}`;
}

/** Lists the rules for the network between the rig and the target that can add to figures. */
export const linkRules: readonly FigureRule[] = [
  {
    rule: 'link-lossy',
    cause: 'lost segments',
    threshold: `without the samples that lost segments can have delayed, a figure falls by ${rigPart}`,
    reason: 'a lost segment costs a TCP timer of 200 ms or more; the kernel counts for a whole network namespace',
    bounds: (facts) => {
      const { link } = facts;
      if (link === undefined) return [];
      const share = percent(link.lateShare);
      return Object.entries(link.least).flatMap(([metric, least]) =>
        boundsOf(
          facts,
          metric,
          (figure, us) => {
            const leastUs = least[figure] ?? null;
            return leastUs === null ? undefined : { openUs: us - leastUs, leastUs };
          },
          isNoticed,
          (mostUs) => `lost segments can have delayed ${share} of ${metric} by up to ${usInMs(mostUs)}: ${link.text}`,
        ),
      );
    },
  },
];
