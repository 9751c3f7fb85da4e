import { loopCapacity } from '../src/commands/drill/capacity.js';
import type { ShardDrill } from '../src/commands/drill/schema.js';
import { clockId, shard } from './machines.js';

/** A shard with two cores that a drill found nothing wrong with. */
export function drilled(more: Partial<ShardDrill> = {}): ShardDrill {
  const { url, info } = shard({ descriptors: 20_000, descriptorsUsed: 23, sourcePorts: 28_232 });
  const { version, engine, machine, limits } = info;
  const cpu = {
    cores: 2,
    quotaCores: null,
    othersCores: 0.07,
    stolenShare: 0.001,
    throttledShare: null,
    coreWaitShare: 0.003,
  };
  const cost = { cpuUs: { busiest: 7, all: 7 }, coresBeside: 0.03, coreShare: 0.97 };
  const alone = { machine: 1, quota: 1 };
  return {
    ...{ url, version, engine, clockId, machine, limits, cpu },
    clock: {
      offsetMs: -3.1,
      uncertaintyMs: 1.307,
      drift: { ppm: 11, uncertaintyPpm: 31, overMs: 20_011 },
      stepsMs: [],
    },
    roundTrip: { medianMs: 0.613, worstMs: 4.01, asked: 42 },
    link: { bytes: 16_777_216, bytesPerSecond: 117_000_000, lost: 0, segments: 11_587 },
    loop: {
      ...{ isMeasured: true, expected: 15_000, delivered: 15_000, triesUs: [6.1, 7] },
      ...{ ...cost, ...loopCapacity(cost, cpu, alone) },
    },
    path: null,
    ...more,
  };
}
