import { countIn, shareIn } from '../../measure/ledger.js';
import type { RunResult } from '../../results/result.js';
import type { Scenario } from '../../run/catalog.js';
import type { Series } from '../../targets/observe/series.js';

/** A figure of one run in microseconds, bytes, counts or a share of 1, and its 95 % interval within the run. */
export interface FigureOfRun {
  value: number;
  within: readonly [number, number] | undefined;
}

/** The value of a published metric, such as `delivery.p99`, `delivered share`, `lost` or `targetRss.max`. */
export function figureOfRun(metric: string, { headline }: Scenario, run: RunResult): FigureOfRun | undefined {
  const { metrics, ledger, environment } = run;
  if (metric === 'bytesPerConnection') return known(environment.footprint?.bytesPerConnection);
  if (metric === 'targetRss.max') return known(peakMemory(environment.observations));
  const part = partOf(metric);
  if (part !== undefined) {
    const column = headline.find((each) => each.kind === 'share' && each.part === part);
    return column?.kind === 'share' ? known(shareIn(ledger, column.part, column.whole)) : undefined;
  }
  const [name = '', figure = ''] = distributionOf(metric);
  if (name === '') return known(countIn(ledger, metric));
  const summary = metrics[name];
  const value = summary?.[figure as keyof typeof summary];
  return typeof value === 'number' ? { value, within: summary?.intervals[figure] } : undefined;
}

/** The count that a published share is about: `delivered` of `delivered share`; undefined for other metrics. */
export function partOf(metric: string): string | undefined {
  return /^(\w+) share$/.exec(metric)?.[1];
}

/** Whether runs have samples of a published figure, but too few for it. */
export function isUncarried(metric: string, runs: readonly RunResult[]): boolean {
  const [name = '', figure = ''] = distributionOf(metric);
  return runs.some(({ metrics }) => {
    const summary = metrics[name];
    return summary !== undefined && summary.count > 0 && summary[figure as keyof typeof summary] === null;
  });
}

/** `delivery` and `p99` of `delivery.p99`; empty for metrics of another form. */
function distributionOf(metric: string): string[] {
  return /^(\w+)\.(\w+)$/.exec(metric)?.slice(1) ?? [];
}

function known(value: number | null | undefined): FigureOfRun | undefined {
  return value === undefined || value === null ? undefined : { value, within: undefined };
}

/** The peak memory of each target process, summed. */
function peakMemory(observations: readonly Series[]): number | undefined {
  const peaks = new Map<string, number>();
  for (const { source, name, process, points } of observations) {
    if (source !== 'proc' || name !== 'rssBytes') continue;
    const before = peaks.get(process ?? '') ?? 0;
    peaks.set(
      process ?? '',
      points.reduce((most, { value }) => Math.max(most, value), before),
    );
  }
  return peaks.size === 0 ? undefined : [...peaks.values()].reduce((sum, each) => sum + each, 0);
}
