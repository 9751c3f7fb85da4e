import { expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { type LoopLoad, loopLoadOf, worstLoad } from './cost.js';

const load = (busiest: number, coresBeside: number, coreShare: number, coreWaitShare: number | null): LoopLoad => ({
  cost: {
    ...{ isMeasured: true, expected: 700, delivered: 691, cpuUs: { busiest, all: busiest + 1 } },
    ...{ triesUs: [busiest], coresBeside, coreShare },
  },
  coreWaitShare,
});

it('of several tries the worst of each figure counts', () => {
  expect(worstLoad([load(7, 0.03, 0.91, 0.02), load(5, 0.05, 0.97, null)])).toEqual({
    cost: {
      ...{ isMeasured: true, expected: 1400, delivered: 1382, cpuUs: { busiest: 7, all: 8 } },
      ...{ triesUs: [7, 5], coresBeside: 0.05, coreShare: 0.91 },
    },
    coreWaitShare: 0.02,
  });
});

it('a try that failed is the answer, and so is none', () => {
  const failed = { isMeasured: false as const, isAllowed: true, why: 'the target refused' };
  expect(worstLoad([load(7, 0.03, 0.91, 0.02), { cost: failed, coreWaitShare: 0.5 }]).cost).toEqual(failed);
  expect(worstLoad([])).toMatchObject({ cost: { isMeasured: false, isAllowed: true }, coreWaitShare: null });
});

it('the CPU of a delivery is that of its loop, warm-up included; the rest of the process is beside', () => {
  const { ledger } = goldenResult();
  const result = goldenResult({ ledger: { ...ledger, expected: 50_000, delivered: 50_000, acked: 500 } });
  const { cost } = loopLoadOf(result, 10);
  if (!cost.isMeasured) throw new Error(cost.why);
  const deliveries = 50_000 * (510 / 500);
  expect(cost.cpuUs.busiest).toBeCloseTo((5011.7 * 1000) / deliveries, 6);
  expect(cost.cpuUs.all).toBe(cost.cpuUs.busiest);
  expect(cost.coresBeside).toBeCloseTo((7013 - 5011.7) / 100_607.3, 6);
  expect(cost.coreShare).toBeCloseTo(5011.7 / (5011.7 + 307.1), 6);
});

it('without a delivery nothing is measured', () => {
  const { ledger } = goldenResult();
  const { cost } = loopLoadOf(goldenResult({ ledger: { ...ledger, delivered: 0 } }), 10);
  expect(cost).toMatchObject({ isMeasured: false, isAllowed: true });
});
