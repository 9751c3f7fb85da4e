import { loopCapacity } from '../src/commands/drill/capacity.js';
import type { ShardDrill } from '../src/commands/drill/findings.js';
import { clockId, shard } from './machines.js';

/** The cost of deliveries on a shard with two cores. */
export const drilledCost = {
  ...{ isMeasured: true as const, expected: 15_000, delivered: 15_000 },
  ...{ cpuUs: { busiest: 7, all: 7 }, coresBeside: 0.03, othersCores: 0.07, coreShare: 0.97 },
  quotaCores: null as number | null,
};

/** A shard with two cores that a drill found nothing wrong with. */
export function drilled(more: Partial<ShardDrill> = {}): ShardDrill {
  const { url, info } = shard({ descriptors: 20_000, descriptorsUsed: 23, sourcePorts: 28_232 });
  const { version, engine, machine, limits } = info;
  return {
    ...{ url, version, engine, clockId, machine: { ...machine, cores: 2 }, limits },
    clock: { offsetMs: -3.1, uncertaintyMs: 1.307 },
    roundTrip: { medianMs: 0.613, worstMs: 4.01, asked: 9 },
    loop: { ...drilledCost, ...loopCapacity(drilledCost, 2, { machine: 1, quota: 1 }) },
    path: null,
    ...more,
  };
}
