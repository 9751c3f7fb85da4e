import { stopInWords } from '../../contract/stop-reasons.js';
import type { RunResult } from '../../results/result.js';
import type { Cost } from './capacity.js';

/** Holds the cost that a loop of a shard measured on its own loopback, without the load that follows from it. */
export type LoopCost =
  | { isMeasured: false; why: string; isAllowed: boolean }
  | (Cost & { isMeasured: true; expected: number; delivered: number; triesUs: number[] });

type Measured = Extract<LoopCost, { isMeasured: true }>;

/**
 * Holds the cost of deliveries on a shard, and the share of the time in which its threads had no core; null where the
 * system does not report it.
 */
export interface LoopLoad {
  cost: LoopCost;
  coreWaitShare: number | null;
}

/** Returns the worst value of each figure over several tries. */
export function worstLoad(loads: readonly LoopLoad[]): LoopLoad {
  const costs = loads.map(({ cost }) => cost);
  const waits = loads.flatMap(({ coreWaitShare }) => (coreWaitShare === null ? [] : [coreWaitShare]));
  const coreWaitShare = waits.length === 0 ? null : Math.max(...waits);
  const measured = costs.filter((cost): cost is Measured => cost.isMeasured);
  const [first, ...others] = measured;
  if (!first || measured.length < costs.length) {
    const cost = costs.find(({ isMeasured }) => !isMeasured) ?? untried;
    return { cost, coreWaitShare };
  }
  return { cost: others.reduce(worse, first), coreWaitShare };
}

const untried: LoopCost = { isMeasured: false, isAllowed: true, why: 'the drill was ended before' };

function worse(one: Measured, other: Measured): Measured {
  return {
    isMeasured: true,
    expected: one.expected + other.expected,
    delivered: one.delivered + other.delivered,
    cpuUs: {
      busiest: Math.max(one.cpuUs.busiest, other.cpuUs.busiest),
      all: Math.max(one.cpuUs.all, other.cpuUs.all),
    },
    triesUs: [...one.triesUs, ...other.triesUs],
    coresBeside: Math.max(one.coresBeside, other.coresBeside),
    coreShare: Math.min(one.coreShare, other.coreShare),
  };
}

/** Returns the load that one run on the own loopback measured. */
export function loopLoadOf(result: RunResult, warmUp: number): LoopLoad {
  return { cost: costOf(result, warmUp), coreWaitShare: waitOf(result) };
}

/** Returns the cost of a delivery by a run on the own loopback. `warmUp` broadcasts are not counted. */
function costOf({ shards: [part], ledger, stop }: RunResult, warmUp: number): LoopCost {
  const [expected, delivered, acked] = ['expected', 'delivered', 'acked'].map((name) => Number(ledger[name] ?? 0));
  const { workers = [], engines = [], shard } = part?.result?.rig ?? {};
  const audience = workers.filter(({ role }) => role === 'audience');
  const ofLoop = sumOf(audience, ({ cpuMs, utilization, windowMs }) => cpuMs ?? utilization * windowMs);
  const ofEngine = sumOf(engines, ({ cpuNs }) => cpuNs / 1e6);
  const ofBoth = ofLoop + ofEngine;
  if (!expected || !delivered || !acked || ofLoop === 0 || !shard)
    return { isMeasured: false, isAllowed: true, why: stopInWords(stop) };
  const withWarmUp = delivered * (1 + warmUp / acked);
  const us = (cpuMs: number): number => (cpuMs * 1000) / withWarmUp;
  const busiest = us(Math.max(ofLoop, ofEngine));
  const windowMs = Math.max(...audience.map((worker) => worker.windowMs));
  const waitedMs =
    sumOf(audience, ({ runQueueWaitMs }) => runQueueWaitMs ?? 0) + sumOf(engines, (each) => each.coreWaitNs / 1e6);
  return {
    isMeasured: true,
    ...{ expected, delivered },
    cpuUs: { busiest, all: us(ofBoth) },
    triesUs: [busiest],
    coresBeside: Math.max(0, shard.cpuMs - ofBoth) / windowMs,
    coreShare: ofBoth / (ofBoth + waitedMs),
  };
}

function sumOf<T>(parts: readonly T[], value: (part: T) => number): number {
  return parts.reduce((sum, part) => sum + value(part), 0);
}

/** Returns the share of the time in which the worst worker was ready and had no core. */
function waitOf({ shards: [part] }: RunResult): number | null {
  const shares = (part?.result?.rig.workers ?? []).flatMap(({ runQueueWaitMs, windowMs }) =>
    runQueueWaitMs === null || windowMs === 0 ? [] : [runQueueWaitMs / windowMs],
  );
  return shares.length === 0 ? null : Math.max(...shares);
}
