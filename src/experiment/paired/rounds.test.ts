import { expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { Blocks, blocksOf } from '../../measure/samples/blocks.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Slots } from '../../scenarios/slots.js';
import { roundsIn, targetOver } from './rounds.js';

const spec = scenarioByName('latency')!.slots as Slots;

/** A run whose only subscriber gets each broadcast after so many milliseconds. */
function pilotOf(lastMs: number) {
  const blocks = new Blocks(7);
  for (let round = 0; round < 7; round++) blocks.record(round, lastMs * 1000);
  const [came, missing] = [new Uint32Array(7).fill(1), new Uint32Array(7)];
  const series = { [blocksOf(spec.metric)]: blocks.finish(), [spec.came]: came, [spec.missing]: missing };
  return { series } as unknown as Parameters<typeof targetOver>[0][number];
}

it('a round overlaps where the last delivery comes after the next slot began', () => {
  const slots = { plan: { seed: 7, rounds: 9, slotsMs: [50, 50] }, place: 0 };
  const overlapping = (lastMs: number) => roundsIn(pilotOf(lastMs), spec, slots).overlapping;
  // The next slot begins 34 to 66 ms later, but for the last slot of all.
  expect(overlapping(33)).toEqual([]);
  expect(overlapping(102).length).toBeGreaterThanOrEqual(6);
  const late = { ...spec, spreadShare: 0.4 } as Slots;
  expect(roundsIn(pilotOf(50), late, slots).overlapping.length).toBeGreaterThanOrEqual(6);
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
