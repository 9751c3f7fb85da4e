import type { Declaration } from '../../measure/declaration.js';
import { isComparison, type RunOrComparison } from '../../results/comparison.js';
import type { RunResult } from '../../results/result.js';
import { samplesCsv, timelineCsv } from './csv.js';
import { hgrm, histogramBase64 } from './hgrm.js';
import { renderSuites, runSuites } from './junit.js';
import { renderMarkdown } from './markdown.js';
import { openMetrics, prometheus } from './openmetrics.js';
import type { Source } from './source.js';

/** One export format. Text comes in pieces: millions of rows are never one string. */
export type Format = {
  name: string;
  suffix: string;
  holds: string;
  /** How many metrics it reads samples of; none by default. */
  samples?: 'one' | 'any';
} & (
  | { of: 'run'; write(source: Source<RunResult>): AsyncIterable<string> | Iterable<string> }
  | { of: 'runOrComparison'; write(source: Source<RunOrComparison>): AsyncIterable<string> | Iterable<string> }
);

export const formats: readonly Format[] = [
  {
    name: 'csv',
    suffix: '.csv',
    holds: 'samples, a row each: `metric,us`, sorted within each metric',
    samples: 'any',
    of: 'run',
    write: samplesCsv,
  },
  {
    name: 'timeline-csv',
    suffix: '.timeline.csv',
    holds:
      'everything over time, a row for each point: `source,process,name,unit,atMs,edge,clock,value`; ' +
      'percentiles to three digits',
    of: 'run',
    write: timelineCsv,
  },
  {
    name: 'hgrm',
    suffix: '.hgrm',
    holds:
      'percentiles of a metric in microseconds, as text for HdrHistogram’s plotters; ' +
      'what was lost ranks last, and a comment says how much that is',
    samples: 'one',
    of: 'run',
    write: hgrm,
  },
  {
    name: 'histogram',
    suffix: '.hist',
    holds:
      'histogram of a metric in microseconds, three digits: HdrHistogram’s V2 compressed encoding in base64; ' +
      'what was lost has the largest value, 2^32 - 1',
    samples: 'one',
    of: 'run',
    write: histogramBase64,
  },
  {
    name: 'junit',
    suffix: '.xml',
    holds: 'JUnit XML: a suite for each run, with verdict, stop reason and thresholds as test cases',
    of: 'runOrComparison',
    write: ({ kept, scenario }) => [renderSuites(runSuites({ kept, scenario }))],
  },
  {
    name: 'markdown',
    suffix: '.md',
    holds: 'Markdown for a pull request: verdict, headline with intervals, thresholds',
    of: 'runOrComparison',
    write: ({ kept, scenario }) => [renderMarkdown(kept, scenario)],
  },
  {
    name: 'openmetrics',
    suffix: '.openmetrics',
    holds: 'OpenMetrics text, ended by `# EOF`: percentiles in seconds, ledger by unit, verdict, thresholds',
    of: 'run',
    write: ({ kept }) => openMetrics(kept),
  },
  {
    name: 'prometheus',
    suffix: '.prom',
    holds: 'the same for Prometheus: its Pushgateway, or the textfile collector of its node exporter',
    of: 'run',
    write: ({ kept }) => prometheus(kept),
  },
];

export function canHold({ of }: Pick<Format, 'of'>, kept: RunOrComparison): boolean {
  return of === 'runOrComparison' || !isComparison(kept);
}

/** The default metric of a format that holds one: the first of the headline with samples. */
export function firstMetric({ samples }: RunResult, { headline }: Declaration): string | undefined {
  const metrics = headline.flatMap((column) => (column.kind === 'figure' ? [column.metric] : []));
  return metrics.find((metric) => (samples[metric]?.count ?? 0) > 0);
}
