import type { Declaration, MetricSpec } from '../measure/declaration.js';
import { type Books, breaksOf, countIn, type LedgerEntries } from '../measure/ledger.js';
import { metricSpec } from '../measure/metric-names.js';
import { blocksOf } from '../measure/samples/blocks.js';
import { type BlockTimes, independentIn, percentiles, samplesFor } from '../measure/samples/distribution.js';
import { levelOf } from '../measure/stats/checks.js';
import { intervalsOf } from '../measure/stats/estimate.js';
import { ledgerBroken } from '../measure/verdict/run-rules.js';
import { comparisonRows, isComparison, type RunOrComparison } from './comparison.js';
import { headlineValue, independentOf, unfinishedOf } from './figures.js';
import type { RunResult, SpanSummary } from './result.js';

type Metric = RunResult['metrics'][string];

/** Returns kept runs without percentiles that their samples do not carry, and void where counts do not add up. */
export function rechecked<R extends RunOrComparison>(found: R, scenario: Declaration): R;
export function rechecked(found: RunOrComparison, scenario: Declaration): RunOrComparison {
  const check = (run: RunResult): RunResult => ledgerChecked(carriedOnly(run, scenario), scenario);
  if (!isComparison(found)) return check(found);
  const rows = found.rows.map((row) => {
    const runs = row.runs.map((run) => ({ ...run, result: check(run.result) }));
    const isLeft = ({ column: title }: { column: string }): boolean => {
      const column = scenario.headline.find((each) => each.title === title);
      return column?.kind !== 'figure' || runs.some(({ result }) => headlineValue(column, result) !== null);
    };
    return { ...row, runs, figures: row.figures.filter(isLeft) };
  });
  const pairs = found.pairs.filter(({ column, a, b }) =>
    [a, b].every((name) =>
      rows.some(({ target, figures }) => target === name && figures.some((each) => each.column === column)),
    ),
  );
  return { ...found, rows, pairs };
}

/** Describes each broken sum in the ledgers of a checked run or comparison, a line each. */
export function ledgerBreaks(found: RunOrComparison): string[] {
  const runs = comparisonRows(found).flatMap((row) => row.runs);
  const evidence = runs.flatMap(({ result }) => result.verdict.evidence.filter(({ rule }) => rule === ledgerBroken));
  return [...new Set(evidence.map(({ rule, text }) => `${rule}: ${text}`))];
}

function ledgerChecked(run: RunResult, { books, metrics }: Declaration): RunResult {
  const { verdict, ledger } = run;
  const breaks = [...breaksOf(knownOf(books, ledger), ledger), ...unfinishedBreaks(run, metrics)];
  if (breaks.length === 0 || verdict.evidence.some(({ rule }) => rule === ledgerBroken)) return run;
  const evidence = { rule: ledgerBroken, level: 'void', text: breaks.join('; ') } as const;
  return { ...run, verdict: { ...verdict, rig: 'void', evidence: [...verdict.evidence, evidence] } };
}

/** Keeps the sums whose every count the ledger has: earlier versions counted less. */
function knownOf(books: Books, ledger: LedgerEntries): Books {
  const isKnown = ([name]: readonly [string, ...unknown[]]): boolean => countIn(ledger, name) !== null;
  return { ...books, sums: books.sums.filter(({ whole, parts }) => [whole, ...parts].every(isKnown)) };
}

/** Compares the ledger with the metric's own number of samples that never came. */
function unfinishedBreaks({ metrics, ledger }: RunResult, declared: Declaration['metrics']): string[] {
  return Object.entries(metrics).flatMap(([name, { count, unfinished = 0 }]) => {
    const spec = declared[name];
    const expected = unfinishedOf(spec, count, ledger);
    return !spec?.unfinished || unfinished === expected
      ? []
      : [`${unfinished} that ${name} misses are not the ${expected} by ${spec.unfinished.join(' + ')}`];
  });
}

function carriedOnly(run: RunResult, scenario: Declaration): RunResult {
  const mapped = <T>(record: Record<string, T>, of: (each: T, name: string) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(record).map(([name, each]) => [name, of(each, name)]));
  const metrics = mapped(run.metrics, (metric, name) => carriedMetric(metric, metricSpec(scenario, name), run.ledger));
  const times = scenario.blockTimes?.(run.job.options) ?? {};
  const overTime = mapped(run.environment.overTime, (spans, name) =>
    spans.map((span) => carriedSpan(span, times[name])),
  );
  const { bounds, ...verdict } = run.verdict;
  const left = bounds?.filter(({ metric, figure }) => figure === null || metrics[metric]?.[figure] !== null) ?? [];
  return {
    ...run,
    metrics,
    verdict: { ...verdict, ...(left.length > 0 && { bounds: left }) },
    environment: { ...run.environment, overTime },
  };
}

function carriedMetric(metric: Metric, spec: MetricSpec | undefined, ledger: LedgerEntries): Metric {
  const { count, unfinished = 0, independent: known } = metric;
  const independent = known ?? independentOf(spec, count + unfinished, ledger);
  if (independent === undefined || independent === known) return metric;
  const missing = Object.entries(percentiles).flatMap(([name, p]) => (independent < samplesFor(p) ? [name] : []));
  const intervals = Object.entries(metric.intervals).filter(([name]) => !missing.includes(name));
  return {
    ...metric,
    independent,
    ...Object.fromEntries(missing.map((name) => [name, null])),
    intervals: Object.fromEntries(intervals),
  };
}

function carriedSpan(span: SpanSummary, times: BlockTimes | undefined): SpanSummary {
  if (times?.independentEach === undefined) return span;
  const independent = independentIn(times, Math.round((span.toMs - span.fromMs) / times.everyMs), span.count);
  const carried = (name: 'p50' | 'p99'): number | null =>
    independent < samplesFor(percentiles[name]) ? null : span[name];
  return { ...span, p50: carried('p50'), p99: carried('p99') };
}

/** Returns a kept run with the intervals that its blocks give. Metrics without blocks stay as they are. */
export function recomputedRun(run: RunResult, series: Readonly<Record<string, Uint32Array>>): RunResult {
  const metrics = Object.entries(run.metrics).map(([name, metric]): [string, Metric] => {
    const blocks = series[blocksOf(name)];
    return [
      name,
      blocks
        ? { ...metric, intervals: intervalsOf(metric, blocks, run.job.seed, levelOf(name, run.job.until)) }
        : metric,
    ];
  });
  return { ...run, metrics: Object.fromEntries(metrics) };
}
