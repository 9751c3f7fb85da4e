import { describe, expect, it } from 'vitest';
import type { ShardInfo } from '../../contract/shard.js';
import { readClockId } from '../../measure/rig/machine.js';
import { type Carrier, carryProblems } from '../../run/plan/preflight.js';
import { planReproduction } from './plan.js';
import { readPublished } from './published.js';
import { fittingScale } from './scale.js';

const table = readPublished().find(({ id }) => id === 'bench-latency-10k');
const planAt = (scale: number) => {
  if (!table) throw new Error('there is no such table');
  return planReproduction(table, scale, { flags: {}, env: {}, file: {} }).plans[0];
};

const carrier = (descriptors: number): Carrier => ({
  shards: [
    {
      url: 'http://127.0.0.1:4711',
      info: {
        clockId: readClockId(),
        limits: { descriptors, descriptorsUsed: 31, sourcePorts: 28_232, portsTaken: null },
      } as ShardInfo,
    },
  ],
  childDescriptors: descriptors,
});

describe('what a machine carries', () => {
  it('is the largest scale that descriptors and ports leave', () => {
    expect(fittingScale(planAt, carrier(20_000))).toBe(1);
    expect(fittingScale(planAt, carrier(4096))).toBe(0.2);
    expect(fittingScale(planAt, carrier(1024))).toBe(0.05);
    expect(fittingScale(planAt, carrier(100))).toBeUndefined();
    expect(fittingScale(() => undefined, carrier(20_000))).toBeUndefined();
  });

  it('is told with what stands against more', () => {
    const plan = planAt(1);
    expect(plan && carryProblems(plan, carrier(4096)).map(({ code }) => code)).toEqual([
      'descriptorLimit',
      'descriptorLimit',
    ]);
  });
});
