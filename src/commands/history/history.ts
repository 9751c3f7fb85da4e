import { z } from 'zod';
import { outsideSentence } from '../../contract/outside.js';
import { thisTool } from '../../contract/version.js';
import type { KeptRun } from '../../results/comparison.js';
import { diffRow } from '../../results/diff.js';
import { directionOf, figureByName, figureUnits, headlineValue, leastByMarks } from '../../results/figures.js';
import { interval, type RunResult, resultVersion, tool, verdict } from '../../results/result.js';
import { type HeadlineColumn, scenarioByName } from '../../run/catalog.js';
import { differences } from '../diff/differences.js';

const historyPoint = z.strictObject({
  directory: z.string(),
  startedAt: z.iso.datetime(),
  value: z.number().nullable(),
  /** 95 %, over the broadcasts of the run, or over the starts of a comparison; null if unknown. */
  interval: interval.nullable(),
  rig: verdict.shape.rig,
  /** The least of a marked figure, in microseconds; left out without a mark. */
  leastUs: z.number().optional(),
  changed: z.array(z.string()),
});

export type HistoryPoint = z.output<typeof historyPoint>;

const historyLine = z.strictObject({
  scenario: z.string(),
  target: z.string(),
  fingerprint: z.string(),
  options: z.record(z.string(), z.unknown()),
  client: z.string(),
  /** `ratio`: of a paired comparison; its target is `a to b`. */
  kind: z.enum([...diffRow.shape.kind.options, 'ratio']),
  unit: z.enum([...diffRow.shape.unit.options, 'ratio']),
  better: diffRow.shape.better,
  points: z.array(historyPoint),
});

export type HistoryLine = z.output<typeof historyLine>;

/** What `ringside history --json` prints. */
export const history = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  /** As in thresholds: `delivery.p99`, `lost`, `delivered%`, `footprint`, `head/base delivery.p50`. */
  metric: z.string(),
  lines: z.array(historyLine),
  without: z.record(z.string(), z.number().int()),
  unreadable: z.array(z.strictObject({ file: z.string(), why: outsideSentence })),
});

export type History = z.output<typeof history>;

/** A figure over kept runs: a line for each target and shape, runs by time. Pure. */
export function historyOf(metric: string, runs: readonly KeptRun[], unreadable: History['unreadable']): History {
  const lines = new Map<string, HistoryLine>();
  const without: Record<string, number> = {};
  const byTime = runs.toSorted((one, other) => (one.result.startedAt < other.result.startedAt ? -1 : 1));
  const before = new Map<HistoryLine, RunResult>();
  for (const run of byTime) {
    const { scenario: name, target, fingerprint, job } = run.result;
    const scenario = scenarioByName(name);
    const column = scenario && figureByName(metric, scenario);
    if (!column) {
      without[name] = (without[name] ?? 0) + 1;
      continue;
    }
    const key = JSON.stringify([name, target.name, fingerprint]);
    const line = lines.get(key) ?? {
      scenario: name,
      target: target.name,
      fingerprint,
      options: job.options,
      client: target.client,
      kind: column.kind,
      unit: figureUnits[column.kind],
      better: directionOf(column, scenario),
      points: [],
    };
    line.points.push(pointOf(column, run, before.get(line)));
    lines.set(key, line);
    before.set(line, run.result);
  }
  const sorted = [...lines].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line);
  return { schema: resultVersion, tool: thisTool, metric, lines: sorted, without, unreadable: [...unreadable] };
}

function pointOf(column: HeadlineColumn, { directory, result }: KeptRun, before: RunResult | undefined): HistoryPoint {
  const isFigure = column.kind === 'figure';
  const within = isFigure ? result.metrics[column.metric]?.intervals[column.figure] : undefined;
  const leastUs = isFigure ? leastByMarks(result.verdict, column.metric, column.figure) : undefined;
  return {
    directory,
    startedAt: result.startedAt,
    value: headlineValue(column, result),
    interval: within ?? null,
    rig: result.verdict.rig,
    ...(leastUs !== undefined && { leastUs }),
    changed: before ? differences([before], [result]) : [],
  };
}
