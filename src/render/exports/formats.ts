import type { Declaration } from '../../measure/declaration.js';
import type { RunResult } from '../../results/result.js';
import { hgrm, histogramBase64 } from './hgrm.js';
import { renderJunit } from './junit.js';
import { isComparison, type Kept } from './kept.js';
import { renderMarkdown } from './markdown.js';
import { openMetrics, prometheus } from './openmetrics.js';
import { samplesCsv } from './samples-csv.js';
import type { Source } from './source.js';
import { timelineCsv } from './timeline-csv.js';

/** One form in which a result leaves Ringside. Text comes in pieces, so that millions of rows are never one string. */
export type Format = {
  name: string;
  suffix: string;
  holds: string;
  /** How many metrics' samples it takes: none, one, or as many as asked for. */
  samples: 'none' | 'one' | 'any';
} & (
  | { of: 'run'; write(source: Source<RunResult>): AsyncIterable<string> | Iterable<string> }
  | { of: 'runOrComparison'; write(source: Source<Kept>): AsyncIterable<string> | Iterable<string> }
);

/** Every form of export. The one table. */
export const formats: readonly Format[] = [
  {
    name: 'csv',
    suffix: '.csv',
    holds: 'samples, a row each: `metric,us`, in microseconds, sorted within each metric',
    samples: 'any',
    of: 'run',
    write: samplesCsv,
  },
  {
    name: 'timeline-csv',
    suffix: '.timeline.csv',
    holds:
      'everything that is kept over time, a row for each point: `source,process,name,unit,atMs,edge,clock,value`, on the axis of the observations; percentiles over time are out of bins 1.6 % wide, to three digits',
    samples: 'none',
    of: 'run',
    write: timelineCsv,
  },
  {
    name: 'hgrm',
    suffix: '.hgrm',
    holds:
      'percentile distribution of a metric in microseconds, as far as its count carries it, as text for HdrHistogram’s plotters',
    samples: 'one',
    of: 'run',
    write: hgrm,
  },
  {
    name: 'histogram',
    suffix: '.hist',
    holds: 'histogram of a metric in microseconds, to three digits: base64 of HdrHistogram’s V2 compressed encoding',
    samples: 'one',
    of: 'run',
    write: histogramBase64,
  },
  {
    name: 'junit',
    suffix: '.xml',
    holds: 'JUnit XML: a suite for each run, with verdict, stop reason and every promise as test cases',
    samples: 'none',
    of: 'runOrComparison',
    write: ({ kept, scenario }) => [renderJunit([{ kept, scenario }])],
  },
  {
    name: 'markdown',
    suffix: '.md',
    holds: 'Markdown for the comment on a pull request: verdict, headline with intervals, promises',
    samples: 'none',
    of: 'runOrComparison',
    write: ({ kept, scenario }) => [renderMarkdown(kept, scenario)],
  },
  {
    name: 'openmetrics',
    suffix: '.openmetrics',
    holds: 'OpenMetrics text, ended by `# EOF`: percentiles in seconds, the ledger by unit, verdict, promises',
    samples: 'none',
    of: 'run',
    write: ({ kept }) => openMetrics(kept),
  },
  {
    name: 'prometheus',
    suffix: '.prom',
    holds: 'the same as text for Prometheus: its Pushgateway, or the textfile collector of its node exporter',
    samples: 'none',
    of: 'run',
    write: ({ kept }) => prometheus(kept),
  },
];

/** Whether a form can hold what is kept. */
export function canHold({ of }: Pick<Format, 'of'>, kept: Kept): boolean {
  return of === 'runOrComparison' || !isComparison(kept);
}

/** The metric that a form of one metric takes where none is asked for: the first of the headline that has samples. */
export function firstMetric({ samples }: RunResult, { headline }: Declaration): string | undefined {
  const metrics = headline.flatMap((column) => (column.kind === 'figure' ? [column.metric] : []));
  return metrics.find((metric) => (samples[metric]?.count ?? 0) > 0);
}
