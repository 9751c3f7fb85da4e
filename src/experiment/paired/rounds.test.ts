import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { pairedComparison } from '../../../test/paired-golden.js';
import { Blocks, blocksOf } from '../../measure/samples/blocks.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Slots } from '../../scenarios/scenario.js';
import { evenness, recomputed, roundsIn, targetOver } from './rounds.js';

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

const made = pairedComparison({ times: { ws: 1.4, uws: 1, socketio: 2 } });
const names = (of: readonly { a: string; b: string }[]): string[] => of.map(({ a, b }) => `${a} ${b}`);

describe('the pairs of kept rounds', () => {
  it('are of each two targets, without the twin, which has its control', () => {
    const { pairs, lastPairs, rawPairs, control, withheld } = made.paired;
    for (const each of [pairs, lastPairs, rawPairs])
      expect(names(each)).toEqual(['ws uws', 'ws socketio', 'uws socketio']);
    expect(control).toMatchObject({ a: 'ws', b: 'ws (twin)' });
    expect(withheld).toEqual([]);
  });

  it('are none before the starts say what lies between starts', () => {
    const { paired } = pairedComparison({ times: { ws: 1.4, uws: 1 }, starts: 2 });
    expect([paired.pairs, paired.lastPairs, paired.control]).toEqual([[], [], null]);
    expect(paired.withheld).toEqual(['tooFewStarts']);
  });

  it('are withheld where the control is apart from its twin', () => {
    const { withheld, pairs } = pairedComparison({ times: { ws: 1.4, uws: 1 }, twinTimes: 1.8 * 1.4 }).paired;
    expect(withheld).toEqual(['controlApart']);
    expect(pairs).toMatchObject([{ holds: 'open', because: 'control' }]);
  });

  it('stand where targets differ by more than the control does from its twin', () => {
    const { withheld, pairs } = pairedComparison({ times: { ws: 1, uws: 1.3, far: 9 }, twinTimes: 1.8 }).paired;
    expect(withheld).toEqual([]);
    expect(pairs.map(({ holds, because }) => [holds, because])).toEqual([
      ['open', 'control'],
      ['yes', null],
      ['yes', null],
    ]);
  });
});

it('a kept comparison has the pairs that its rounds give, whatever its document says', () => {
  const [first, ...others] = made.paired.pairs;
  const pairs = [{ ...first!, holds: 'open' as const, because: 'chance' as const }, ...others];
  expect(recomputed({ ...made, paired: { ...made.paired, pairs } })).toEqual(made);
  const { paired: _, ...whole } = made;
  expect(recomputed(whole)).toEqual(whole);
});

it('is large for even counts and small for uneven ones', () => {
  expect(evenness([7, 7, 7], 101)).toBeGreaterThan(0.95);
  expect(evenness([5, 7, 11, 6], 240)).toBeGreaterThan(0.05);
  expect(evenness([2, 3, 41, 2], 240)).toBeLessThan(0.01);
});

it('has the probability of the tables', () => {
  // 2 × 2: 20 and 36 of 101 give χ² = 6.33 with one degree of freedom, P = 0.0119.
  expect(evenness([20, 36], 101)).toBeCloseTo(0.012, 2);
});

it.each([[[0, 0, 0]], [[101, 101]], [[7]], [[]]])('is undefined for %j', (counts) => {
  expect(evenness(counts, 101)).toBeUndefined();
});
