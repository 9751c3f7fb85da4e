import { expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { Blocks, blocksOf } from '../../measure/samples/blocks.js';
import type { Slots } from '../../run/catalog.js';
import { scenarioByName } from '../../scenarios/list.js';
import { slotMsFor, targetOver } from './rounds.js';

const spec = scenarioByName('latency')!.slots as Slots;

/** A run whose only subscriber gets each broadcast after so many milliseconds. */
function pilotOf(lastMs: number) {
  const blocks = new Blocks(7);
  for (let round = 0; round < 7; round++) blocks.record(round, lastMs * 1000);
  const [came, missing] = [new Uint32Array(7).fill(1), new Uint32Array(7)];
  const series = { [blocksOf(spec.metric)]: blocks.finish(), [spec.came]: came, [spec.missing]: missing };
  return { series } as unknown as Parameters<typeof slotMsFor>[0][number];
}

it('a slot is five times the slowest, within what the budget leaves', () => {
  const pilot = [pilotOf(3), pilotOf(13)];
  expect(slotMsFor(pilot, spec, { leastMs: 0, mostMs: 1000 })).toBeCloseTo(65, -1);
  expect(slotMsFor(pilot, spec, { leastMs: 0, mostMs: 41 })).toBe(41);
  expect(slotMsFor([pilotOf(1)], spec, { leastMs: 0, mostMs: 1000 })).toBe(20);
  expect(slotMsFor([pilotOf(1)], spec, { leastMs: 0, mostMs: 7 })).toBe(20);
  expect(slotMsFor([pilotOf(1)], spec, { leastMs: 211, mostMs: 1000 })).toBe(211);
});

/** A run on one shard that measured for so long, with that share of the CPU stolen. */
function stolenRun(windowMs: number, stolenShare: number | undefined): ReturnType<typeof pilotOf> {
  const result = structuredClone(goldenResult());
  const { rig } = result.shards[0]!.result!;
  rig.workers = rig.workers.slice(0, 1).map((worker) => ({ ...worker, windowMs }));
  rig.shard = { ...rig.shard, stolenShare };
  return { ...pilotOf(3), result };
}

it('a target has the stolen share of its runs, each by how long it measured', () => {
  const stolenIn = (...runs: ReturnType<typeof pilotOf>[]) => targetOver(runs, spec).stolenShare;
  expect(stolenIn(stolenRun(1000, 0.4), stolenRun(3000, 0))).toBeCloseTo(0.1, 9);
  expect(stolenIn(stolenRun(1000, 0))).toBe(0);
  expect(stolenIn(stolenRun(1000, undefined))).toBeUndefined();
});
