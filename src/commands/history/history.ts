import { z } from 'zod';
import { outsideSentence } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import type { HeadlineColumn } from '../../measure/declaration.js';
import { pairOf } from '../../measure/statement.js';
import { changePoints } from '../../measure/stats/change-points.js';
import { lowerMedian } from '../../measure/stats/estimate.js';
import type { Comparison, KeptRun } from '../../results/comparison.js';
import { diffRow } from '../../results/diff.js';
import { directionOf, figureByName, figureUnits, headlineValue, leastByBounds } from '../../results/figures.js';
import { interval, type RunResult, resultVersion, tool, verdict } from '../../results/result.js';
import { scenarioByName, scenarios } from '../../scenarios/list.js';
import { differences } from '../diff/diff.js';

const historyPoint = z.strictObject({
  directory: z.string(),
  startedAt: z.iso.datetime(),
  value: z.number().nullable(),
  /** 95 % interval over the broadcasts of the run, or over the starts of a comparison; null if unknown. */
  interval: interval.nullable(),
  rig: verdict.shape.rig,
  /** Lower end of a bounded figure, in microseconds; left out without a bound. */
  leastUs: z.number().optional(),
  changed: z.array(z.string()),
});

export type HistoryPoint = z.output<typeof historyPoint>;

/** Describes a change of a figure. Values are the medians of the runs before and after it, up to the next change. */
const historyChange = z.strictObject({
  startedAt: z.iso.datetime(),
  before: z.number(),
  after: z.number(),
  /** What else changed since the last run before it. */
  beside: z.array(z.string()),
});

export type HistoryChange = z.output<typeof historyChange>;

const historyLine = z.strictObject({
  scenario: z.string(),
  target: z.string(),
  fingerprint: z.string(),
  options: z.record(z.string(), z.unknown()),
  client: z.string(),
  /** `ratio` comes from a paired comparison. Its target is `a to b`. */
  kind: z.enum([...diffRow.shape.kind.options, 'ratio']),
  unit: z.enum([...diffRow.shape.unit.options, 'ratio']),
  better: diffRow.shape.better,
  points: z.array(historyPoint),
  changes: z.array(historyChange),
});

export type HistoryLine = z.output<typeof historyLine>;

/** Describes the output of `ringside history --json`. */
export const history = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  /** Written as in thresholds: `delivery.p99`, `lost`, `delivered%`, `footprint`, `head/base delivery.p50`. */
  metric: z.string(),
  lines: z.array(historyLine),
  without: z.record(z.string(), z.number().int()),
  unreadable: z.array(z.strictObject({ file: z.string(), why: outsideSentence })),
});

export type History = z.output<typeof history>;

/** Returns a figure over kept runs: a line for each target and shape, runs by time. Pure. */
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
      changes: [],
    };
    line.points.push(pointOf(column, run, before.get(line)));
    lines.set(key, line);
    before.set(line, run.result);
  }
  return { ...headOf(metric, lines), without, unreadable: [...unreadable] };
}

function headOf(
  metric: string,
  lines: ReadonlyMap<string, HistoryLine>,
): Pick<History, 'schema' | 'tool' | 'metric' | 'lines'> {
  const sorted = [...lines].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line);
  const withChanges = sorted.map((line) => ({ ...line, changes: changesOf(line) }));
  return { schema: resultVersion, tool: thisTool, metric, lines: withChanges };
}

function changesOf({ points }: Pick<HistoryLine, 'points'>): HistoryChange[] {
  const valid = points.filter(isValid);
  const values = valid.map(({ value }) => value);
  const ends = [0, ...changePoints(values), values.length];
  return ends.slice(1, -1).map((at, place) => ({
    startedAt: valid[at]!.startedAt,
    before: lowerMedian(values.slice(ends[place], at)),
    after: lowerMedian(values.slice(at, ends[place + 2])),
    // Void runs between both are part of the way.
    beside: points
      .slice(points.indexOf(valid[at - 1]!) + 1, points.indexOf(valid[at]!) + 1)
      .flatMap((each) => each.changed),
  }));
}

/** Returns true if a run has a value that counts. */
export function isValid(point: HistoryPoint): point is HistoryPoint & { value: number } {
  return point.value !== null && point.rig !== 'void';
}

function pointOf(column: HeadlineColumn, { directory, result }: KeptRun, before: RunResult | undefined): HistoryPoint {
  const isFigure = column.kind === 'figure';
  const within = isFigure ? result.metrics[column.metric]?.intervals[column.figure] : undefined;
  const leastUs = isFigure ? leastByBounds(result.verdict, column.metric, column.figure) : undefined;
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

/** Names a ratio of target `a` to target `b`: `head/base delivery.p50`. */
export interface AskedRatio {
  a: string;
  b: string;
  of: string;
}

interface KeptComparison {
  directory: string;
  comparison: Comparison;
}

/** Names the figures for which paired comparisons have ratios, such as `delivery.p50` and `delivery.last`. */
export const ratioFigures = [
  ...new Set(scenarios.flatMap(({ slots }) => (slots ? [`${slots.metric}.p50`, `${slots.metric}.last`] : []))),
];

/** Returns the ratio that a text names; undefined for any other text. */
export function askedRatio(text: string): AskedRatio | undefined {
  const [, a, b, of] = /^([^\s/]+)\s*\/\s*([^\s/]+)\s+(\S+)$/.exec(text.trim()) ?? [];
  return a !== undefined && b !== undefined && of !== undefined && ratioFigures.includes(of) ? { a, b, of } : undefined;
}

/** Returns the ratios of all targets to the first one of each kept paired comparison. */
export function ratiosToFirst(of: string, kept: readonly KeptComparison[]): AskedRatio[] {
  if (!ratioFigures.includes(of)) return [];
  const pairs = kept.flatMap(({ comparison: { rows } }) =>
    rows.slice(1).map(({ target }) => [target, rows[0]!.target]),
  );
  const named = new Map(pairs.map(([a = '', b = '']) => [`${a}/${b}`, { a, b, of }]));
  return [...named.values()];
}

/** Returns a ratio over kept paired comparisons of both targets: a line for each shape, by time. Pure. */
export function ratioHistoryOf(
  metric: string,
  asked: AskedRatio,
  kept: readonly KeptComparison[],
  unreadable: History['unreadable'],
): History {
  const lines = new Map<string, HistoryLine>();
  const before = new Map<HistoryLine, readonly RunResult[]>();
  const byTime = kept.toSorted((one, other) => (one.comparison.startedAt < other.comparison.startedAt ? -1 : 1));
  for (const { directory, comparison } of byTime) {
    const runs = runsOf(comparison, asked);
    const point = ratioPointOf(directory, comparison, asked);
    const [first] = runs;
    if (!first || !point) continue;
    const { scenario, fingerprint } = comparison;
    const key = JSON.stringify([scenario, fingerprint]);
    const line = lines.get(key) ?? {
      ...{ scenario, target: `${asked.a} to ${asked.b}`, fingerprint, options: first.job.options },
      ...{ client: first.target.client, kind: 'ratio', unit: 'ratio', better: 'neither', points: [], changes: [] },
    };
    line.points.push({ ...point, changed: changedSince(before.get(line) ?? [], runs) });
    lines.set(key, line);
    before.set(line, runs);
  }
  return { ...headOf(metric, lines), without: {}, unreadable: [...unreadable] };
}

function runsOf({ rows }: Comparison, { a, b }: AskedRatio): RunResult[] {
  const firsts = [a, b].flatMap((name) => rows.find(({ target }) => target === name)?.runs[0]?.result ?? []);
  return firsts.length === 2 ? firsts : [];
}

function ratioPointOf(directory: string, comparison: Comparison, { a, b, of }: AskedRatio): HistoryPoint | undefined {
  const { paired, startedAt, scenario: name } = comparison;
  const metric = scenarios.find((scenario) => scenario.name === name)?.slots?.metric;
  if (!paired || metric !== of.split('.')[0]) return undefined;
  const pair = pairOf(of.endsWith('.p50') ? paired.pairs : paired.lastPairs, a, b);
  // Without a control that is like its twin, no order is claimed.
  const rig = paired.withheld.length === 0 ? 'clean' : 'limited';
  return { directory, startedAt, value: pair?.ratio ?? null, interval: pair?.interval ?? null, rig, changed: [] };
}

function changedSince(before: readonly RunResult[], runs: readonly RunResult[]): string[] {
  const changes = runs.flatMap((run, place) => {
    const earlier = before[place];
    return earlier ? differences([earlier], [run]).map((text) => ({ text, target: run.target.name })) : [];
  });
  const texts = [...new Set(changes.map(({ text }) => text))];
  return texts.map((text) => {
    const of = changes.filter((each) => each.text === text);
    return of.length === runs.length ? text : `${of[0]?.target} ${text}`;
  });
}
