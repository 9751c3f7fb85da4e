import { thisTool } from '../../contract/version.js';
import { directionOf } from '../../results/direction.js';
import { figureByName, figureUnits } from '../../results/figures.js';
import { headlineValue } from '../../results/headline.js';
import { type RunResult, resultVersion } from '../../results/result.js';
import { type HeadlineColumn, scenarioByName } from '../../run/catalog.js';
import type { KeptRun } from '../compare/assemble.js';
import { differences } from '../diff/differences.js';
import type { History, HistoryLine, HistoryPoint } from './history.js';

/** A figure over kept runs, in whatever order they come: a line for each target and shape, its runs in the order of time. Pure. */
export function historyOf(metric: string, runs: readonly KeptRun[], unreadable: History['unreadable']): History {
  const lines = new Map<string, KeptRun[]>();
  const without: Record<string, number> = {};
  for (const run of runs) {
    const { scenario, target, fingerprint } = run.result;
    if (columnOf(metric, scenario) === undefined) {
      without[scenario] = (without[scenario] ?? 0) + 1;
      continue;
    }
    const key = JSON.stringify([scenario, target.name, fingerprint]);
    lines.set(key, [...(lines.get(key) ?? []), run]);
  }
  return {
    schema: resultVersion,
    tool: thisTool,
    metric,
    lines: [...lines].sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, own]) => lineOf(metric, own) ?? []),
    without,
    unreadable: [...unreadable],
  };
}

function columnOf(metric: string, name: string): HeadlineColumn | undefined {
  const scenario = scenarioByName(name);
  return scenario && figureByName(metric, scenario);
}

function lineOf(metric: string, runs: readonly KeptRun[]): HistoryLine | undefined {
  const inTime = runs.toSorted((one, other) => (one.result.startedAt < other.result.startedAt ? -1 : 1));
  const result = inTime[0]?.result;
  const scenario = result && scenarioByName(result.scenario);
  const column = scenario && figureByName(metric, scenario);
  if (!column) return undefined;
  return {
    scenario: scenario.name,
    target: result.target.name,
    fingerprint: result.fingerprint,
    options: result.job.options,
    client: result.target.client,
    kind: column.kind,
    unit: figureUnits[column.kind],
    better: directionOf(column, scenario),
    points: inTime.map((run, index) => pointOf(column, run, inTime[index - 1]?.result)),
  };
}

function pointOf(column: HeadlineColumn, { directory, result }: KeptRun, before: RunResult | undefined): HistoryPoint {
  const within = column.kind === 'figure' ? result.metrics[column.metric]?.intervals[column.figure] : undefined;
  return {
    directory,
    startedAt: result.startedAt,
    value: headlineValue(column, result),
    interval: within ?? null,
    rig: result.verdict.rig,
    changed: before ? differences([before], [result]) : [],
  };
}
