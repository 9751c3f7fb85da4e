import type { Report, ReportRun } from '../runs.js';
import { type Axis, type Chart, type DrawnCurve, type Line, styleOf } from './chart.js';
import { inMs } from './figure.js';

const latencyAxis = (scale: 'linear' | 'log'): Axis => ({ label: 'latency, ms', scale });

/** Distributions as the page's script reads them. */
export function curvesOf({ runs }: Report): Record<string, DrawnCurve> {
  return Object.fromEntries(
    runs.flatMap(({ curves }, index) =>
      Object.entries(curves).map(([metric, { count, ranks, us, lastCarried }]) => [
        curveId(index, metric),
        { count, ranks, us, lastCarried },
      ]),
    ),
  );
}

const curveId = (run: number, metric: string): string => `curve-${run}-${metric}`;

/** One thing whose distribution is drawn. */
interface Subject {
  label: string;
  run: ReportRun;
  index: number;
  metric: string;
  /** Its colour and dash: a run has the same in every chart. */
  style: number;
  isHidden: boolean;
}

/**
 * Latency by percentile, and the share up to a latency. One run has a line for each metric, at first those of the
 * headline. Several runs have a line each, in two charts for each headline metric.
 */
export function latencyCharts(report: Report): Chart[] {
  const { runs, scenario } = report;
  const headline = new Set(scenario.headline.flatMap((column) => (column.kind === 'figure' ? [column.metric] : [])));
  const [sole] = runs;
  if (sole && runs.length === 1) {
    const metrics = Object.keys(scenario.metrics).filter((metric) => sole.curves[metric]);
    const subjects = metrics.map((metric, style) => ({
      label: metric,
      run: sole,
      index: 0,
      metric,
      style,
      isHidden: !headline.has(metric),
    }));
    return subjects.length > 0 ? pair('latency', '', subjects) : [];
  }
  return [...headline].flatMap((metric) => {
    const subjects = runs.flatMap((run, index) =>
      run.curves[metric] ? [{ label: run.label, run, index, metric, style: index, isHidden: false }] : [],
    );
    return subjects.length > 0 ? pair(`latency-${metric}`, `: ${metric}`, subjects) : [];
  });
}

/** From this factor between medians on, the fastest line would lie flat on a linear axis. */
const widest = 50;

/** The slowest median of the drawn lines over the fastest. */
function spreadOf(subjects: readonly Subject[]): number {
  const medians = subjects.flatMap(({ run, metric, isHidden }) => {
    const us = run.curves[metric]?.percentiles.find(({ share }) => share === 0.5)?.us;
    return isHidden || !us ? [] : [us];
  });
  return Math.max(1, ...medians) / Math.max(1, Math.min(...medians));
}

function pair(id: string, of: string, subjects: readonly Subject[]): Chart[] {
  const lines = (as: 'cdf' | 'spectrum'): Line[] =>
    subjects.map(({ label, index, metric, style, isHidden }) => ({
      label,
      ...styleOf(style),
      look: 'line',
      isHidden,
      points: { curve: curveId(index, metric), as },
    }));
  const isWide = spreadOf(subjects) > widest;
  const shared = {
    bands: [],
    size: 'large',
    table: ladderTable(subjects),
    tableNote: 'ms; –: too few samples for this percentile. From the samples kept beside the result.',
  } as const;
  return [
    {
      ...shared,
      id: `${id}-spectrum`,
      title: `Latency by percentile${of}`,
      summary: `${isWide ? 'Both axes are logarithmic. ' : ''}A line ends where fewer than five samples lie beyond.`,
      x: { label: 'percentile', scale: 'percentile' },
      y: latencyAxis(isWide ? 'log' : 'linear'),
      lines: lines('spectrum'),
    },
    {
      ...shared,
      id: `${id}-cdf`,
      title: `Share of samples up to a latency${of}`,
      summary: 'The share of samples that took at most that long. A line ends at the slowest sample.',
      x: latencyAxis('log'),
      y: { label: 'share of samples, %', scale: 'linear', range: [0, 100] },
      lines: lines('cdf'),
    },
  ];
}

function ladderTable(subjects: readonly Subject[]): Chart['table'] {
  const shares = [
    ...new Set(subjects.flatMap(({ run, metric }) => run.curves[metric]?.percentiles.map(({ share }) => share) ?? [])),
  ].sort((a, b) => a - b);
  return {
    head: [
      '',
      ...shares.map((share) =>
        share === 0 ? 'least' : share === 1 ? 'largest' : `${Number((share * 100).toFixed(4))} %`,
      ),
      'samples',
    ],
    rows: subjects.map(({ label, run, metric }) => {
      const curve = run.curves[metric];
      const at = (share: number): number | undefined => curve?.percentiles.find((each) => each.share === share)?.us;
      return [label, ...shares.map((share) => inMs(at(share))), curve?.count ?? 0];
    }),
  };
}
