import type { Declaration, MetricSpec } from '../measure/declaration.js';
import { countIn, type LedgerEntries } from '../measure/ledger.js';
import { metricSpec } from '../measure/metric-names.js';
import { type BlockTimes, independentIn, percentiles, samplesFor } from '../measure/samples/distribution.js';
import { type Comparison, isComparison, type RunOrComparison } from './comparison.js';
import { headlineValue } from './figures.js';
import type { RunResult, SpanSummary } from './result.js';

type Metric = RunResult['metrics'][string];

/** Returns how many of `all` samples are independent, by the ledger. Undefined if each is, or unknown. */
export function independentOf(
  spec: Pick<MetricSpec, 'independent'> | undefined,
  all: number,
  ledger: LedgerEntries,
): number | undefined {
  const events = spec?.independent && countIn(ledger, spec.independent.entry);
  return events === undefined || events === null ? undefined : Math.min(all, events);
}

/** Returns how many samples a metric lacks by the ledger, in proportion if it has only a part of them. */
export function unfinishedOf(spec: MetricSpec | undefined, samples: number, entries: LedgerEntries): number {
  const of = (entry: string): number => Number(entries[entry] ?? 0);
  const all = (spec?.unfinished ?? []).reduce((sum, entry) => sum + of(entry), 0);
  const whole = spec?.samplesOf === undefined ? samples : of(spec.samplesOf);
  return whole > samples ? Math.ceil((all * samples) / whole) : all;
}

/** Returns a kept run or comparison without percentiles that its samples do not carry. Older versions kept them. */
export function carriedOnly<R extends RunOrComparison>(found: R, scenario: Declaration): R;
export function carriedOnly(found: RunOrComparison, scenario: Declaration): RunOrComparison {
  return isComparison(found) ? carriedComparison(found, scenario) : carriedRun(found, scenario);
}

function carriedComparison(found: Comparison, scenario: Declaration): Comparison {
  const rows = found.rows.map((row) => {
    const runs = row.runs.map((run) => ({ ...run, result: carriedRun(run.result, scenario) }));
    const isLeft = ({ column: title }: { column: string }): boolean => {
      const column = scenario.headline.find((each) => each.title === title);
      return column?.kind !== 'figure' || runs.some(({ result }) => headlineValue(column, result) !== null);
    };
    return { ...row, runs, figures: row.figures.filter(isLeft) };
  });
  const isCompared = ({ column, a, b }: Comparison['pairs'][number]): boolean =>
    [a, b].every((name) =>
      rows.some(({ target, figures }) => target === name && figures.some((each) => each.column === column)),
    );
  return { ...found, rows, pairs: found.pairs.filter(isCompared) };
}

function carriedRun(run: RunResult, scenario: Declaration): RunResult {
  const metrics = Object.fromEntries(
    Object.entries(run.metrics).map(([name, metric]) => [
      name,
      carriedMetric(metric, metricSpec(scenario, name), run.ledger),
    ]),
  );
  const times = scenario.blockTimes?.(run.job.options) ?? {};
  const overTime = Object.fromEntries(
    Object.entries(run.environment.overTime).map(([name, spans]) => [
      name,
      spans.map((span) => carriedSpan(span, times[name])),
    ]),
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
