import { expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { Blocks, blocksOf } from '../measure/samples/blocks.js';
import { summarize } from '../measure/samples/distribution.js';
import { intervalsOf } from '../measure/stats/estimate.js';
import { isNear, recomputedRun } from './recompute.js';
import type { RunResult } from './result.js';

const broadcasts = 101;
const times = Array.from({ length: broadcasts }, (_, broadcast) => 1009 + 13 * ((broadcast * 37) % broadcasts));
const blocks = new Blocks(broadcasts);
times.forEach((us, broadcast) => {
  for (let delivery = 0; delivery < 7; delivery++) blocks.record(broadcast, us + delivery);
});
const series = { [blocksOf('delivery')]: blocks.finish() };

/** A run whose deliveries take these times, 13 of them lost. */
const values = Uint32Array.from(
  times.flatMap((us) => Array.from({ length: 7 }, (_, delivery) => us + delivery)),
).sort();
const summary = summarize({ kind: 'raw', values }, 'us', 13, broadcasts);
const golden = goldenResult();
const run: RunResult = {
  ...golden,
  metrics: {
    ...golden.metrics,
    delivery: {
      ...summary,
      intervals: intervalsOf(summary, blocks.finish(), golden.job.seed),
    } as RunResult['metrics'][string],
  },
};
const withIntervals = (intervals: RunResult['metrics'][string]['intervals']): RunResult => ({
  ...run,
  metrics: { ...run.metrics, delivery: { ...run.metrics.delivery!, intervals } },
});
const kept = run.metrics.delivery!.intervals;

it('the intervals of a kept run are the same again from its blocks and its seed, through JSON too', () => {
  expect(Object.keys(kept)).toEqual(['p50', 'p90', 'p95']);
  expect(recomputedRun(run, series)).toEqual({ run, differing: [] });
  expect(recomputedRun(JSON.parse(JSON.stringify(run)), series).differing).toEqual([]);
});

it('the intervals of a kept run are named where the document has others, and are those of the blocks', () => {
  const [low, high] = kept.p50!;
  const { p95: _, ...others } = kept;
  for (const [intervals, differing] of [
    [{ ...kept, p50: [low, high * 1.01] }, ['delivery p50']],
    [{ ...kept, p50: [low * 0.99, high] }, ['delivery p50']],
    [others, ['delivery p95']],
    [{ ...kept, p999: [low, high] }, ['delivery p99.9']],
    [{ ...kept, p50: [low * (1 + 1e-12), high] }, []],
  ] as [typeof kept, string[]][])
    expect(recomputedRun(withIntervals(intervals), series)).toEqual({ run, differing });
});

it('the intervals of a kept run stay as they are where no blocks were kept', () => {
  expect(recomputedRun(run, {})).toEqual({ run, differing: [] });
  const altered = withIntervals({ p50: [7, 11] });
  expect(recomputedRun(altered, {})).toEqual({ run: altered, differing: [] });
});

it('figures agree but for rounding', () => {
  expect([isNear(0, 0), isNear(0.1 + 0.2, 0.3), isNear(743, 743.00001), isNear(undefined, undefined)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
