import { countIn, shareIn } from '../../measure/ledger.js';
import type { RunResult } from '../../results/result.js';
import type { Scenario } from '../../run/catalog.js';
import type { Series } from '../../targets/observe/series.js';

/** A figure of one run, in microseconds, bytes, counts or a share of 1. `within` is the 95 % interval that it has in the run itself. */
export interface FigureOfRun {
  value: number;
  within: readonly [number, number] | undefined;
}

/** Reads what a published metric names: `delivery.p99`, `roundTripStep3.p95`, `delivered share`, `lost`, `bytesPerConnection`, `targetRss.max`. Undefined where a run has nothing of the kind. */
export function figureOfRun(metric: string, { headline }: Scenario, run: RunResult): FigureOfRun | undefined {
  const { metrics, ledger, environment } = run;
  if (metric === 'bytesPerConnection') return known(environment.footprint?.bytesPerConnection);
  if (metric === 'targetRss.max') return known(peakMemory(environment.observations));
  const part = partOf(metric);
  if (part !== undefined) {
    const column = headline.find((each) => each.kind === 'share' && each.part === part);
    if (column?.kind !== 'share') return undefined;
    return known(shareIn(ledger, column.part, column.whole));
  }
  const [, name = '', figure = ''] = /^(\w+)\.(\w+)$/.exec(metric) ?? [];
  if (name === '') return known(countIn(ledger, metric));
  const summary = metrics[name];
  const value = summary?.[figure as keyof typeof summary];
  return typeof value === 'number' ? { value, within: summary?.intervals[figure] } : undefined;
}

/** What a published metric is the share of, as `delivered share`; undefined where it is none. No share is more than 1. */
export function partOf(metric: string): string | undefined {
  return /^(\w+) share$/.exec(metric)?.[1];
}

/** Whether the runs have samples of a published figure, but too few to carry it. */
export function isUncarried(metric: string, runs: readonly RunResult[]): boolean {
  const [, name = '', figure = ''] = /^(\w+)\.(\w+)$/.exec(metric) ?? [];
  return runs.some(({ metrics }) => {
    const summary = metrics[name];
    return summary !== undefined && summary.count > 0 && summary[figure as keyof typeof summary] === null;
  });
}

function known(value: number | null | undefined): FigureOfRun | undefined {
  return value === undefined || value === null ? undefined : { value, within: undefined };
}

/** The most that each process of the target had, added up. */
function peakMemory(observations: readonly Series[]): number | undefined {
  const peaks = new Map<string, number>();
  for (const { source, name, process, points } of observations) {
    if (source !== 'proc' || name !== 'rssBytes') continue;
    const before = peaks.get(process ?? '') ?? 0;
    const peak = points.reduce((most, { value }) => Math.max(most, value), before);
    peaks.set(process ?? '', peak);
  }
  return peaks.size === 0 ? undefined : [...peaks.values()].reduce((sum, each) => sum + each, 0);
}
