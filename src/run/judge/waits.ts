import type { ShardResult } from '../../contract/shard.js';
import { readClockId } from '../../measure/rig/machine.js';
import { blocksOf } from '../../measure/samples/blocks.js';
import { type Summary, summarize } from '../../measure/samples/distribution.js';
import { thresholdFigures } from '../../measure/threshold.js';
import type { WaitFacts } from '../../measure/verdict/facts.js';
import { type CoreWaits, type Waited, waitedIn } from '../../measure/waits/core-waits.js';
import { withoutWaits } from '../../measure/waits/least.js';
import type { RunResult } from '../../results/result.js';
import type { Scenario } from '../../scenarios/scenario.js';

/** What a run measured that waits of its target can be matched with. */
interface Timed {
  results: readonly Pick<ShardResult, 'clockId'>[];
  series: Readonly<Record<string, Uint32Array>>;
  metrics: Readonly<Record<string, Summary>>;
  stages: RunResult['environment']['stages'];
}

/** The waits of a target for a core in the ramp and under load, and the figures without them. */
export function waitFacts(
  { metrics: declared, stages: specs }: Pick<Scenario, 'metrics' | 'stages'>,
  { results, series, metrics, stages }: Timed,
  waits: CoreWaits | undefined,
): WaitFacts | undefined {
  if (waits === undefined) return undefined;
  const during = (isMeant: (name: string) => boolean): Waited => {
    const spans = stages.filter(({ name }) => isMeant(name));
    const [fromMs, toMs] = [spans.map((span) => span.fromMs), spans.map((span) => span.toMs)];
    return spans.length > 0 ? waitedIn(waits, Math.min(...fromMs), Math.max(...toMs)) : nothing;
  };
  const measured = new Set(specs.filter(({ isMeasured }) => isMeasured).map(({ name }) => name));
  const clockId = readClockId();
  const isOneClock = results.every((result) => result.clockId === clockId);
  const least = Object.entries(declared).flatMap(([name, { unit, atLeast = '' }]) => {
    const [whole, lower] = [series[blocksOf(name)], series[blocksOf(atLeast)]];
    const { sentAtUs } = series;
    if (!isOneClock || !whole || !lower || !sentAtUs) return [];
    const samples = withoutWaits(waits, { sentAtUs, whole, least: lower });
    const { unfinished = 0, independent } = metrics[name] ?? {};
    if (samples === undefined) return [];
    const summary = summarize(samples, unit, unfinished, independent);
    return [[name, Object.fromEntries(thresholdFigures.map((figure) => [figure, summary[figure]]))] as const];
  });
  return {
    load: during((name) => measured.has(name)),
    ramp: during((name) => name === 'ramp'),
    least: Object.fromEntries(least),
  };
}

const nothing: Waited = { othersMs: 0, windowMs: 0 };
