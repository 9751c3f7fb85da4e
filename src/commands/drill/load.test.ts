import { expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { costOf } from './load.js';

const machine = { cores: 8, quotaCores: 1.5, machineShards: 1 };
const { ledger } = goldenResult();
const result = goldenResult({ ledger: { ...ledger, expected: 50_000, delivered: 50_000, acked: 500 } });

it('the CPU of a delivery is that of its loop, warm-up included; the rest of the process is beside', () => {
  const cost = costOf(result, machine);
  if (!cost.isMeasured) throw new Error(cost.why);
  const deliveries = 50_000 * (510 / 500);
  expect(cost.cpuUs.busiest).toBeCloseTo((5011.7 * 1000) / deliveries, 6);
  expect(cost.cpuUs.all).toBe(cost.cpuUs.busiest);
  expect(cost.coresBeside).toBeCloseTo((7013 - 5011.7) / 100_607.3, 6);
  expect(cost.coreShare).toBeCloseTo(5011.7 / (5011.7 + 307.1), 6);
  expect(cost.quotaCores).toBe(1.5);
});

it('other programs have what is busy besides the shards of the machine, and what is stolen', () => {
  const [part] = result.shards;
  const rig = part?.result?.rig;
  if (!rig) throw new Error('expected a rig');
  const withUse = (coreBusy: number[], stolenShare: number) => {
    const shard = { ...rig.shard, coreBusy, stolenShare };
    const shards = [{ ...part, result: { ...part.result, rig: { ...rig, shard } } }] as typeof result.shards;
    return (machineShards: number) => costOf({ ...result, shards }, { ...machine, machineShards });
  };
  const own = 7013 / 100_607.3;
  expect(withUse([0.25, 0.75], 0)(2)).toMatchObject({ othersCores: expect.closeTo(4 - 2 * own, 6) });
  expect(withUse([0.25, 0.75], 0.5)(1)).toMatchObject({ othersCores: expect.closeTo(6 - own, 6) });
  expect(withUse([], 0)(1)).toMatchObject({ othersCores: 0 });
});

it('without a delivery nothing is measured', () => {
  const none = goldenResult({ ledger: { ...ledger, delivered: 0 } });
  expect(costOf(none, machine)).toMatchObject({ isMeasured: false, isAllowed: true });
});
