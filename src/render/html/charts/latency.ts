import { isLowerEnd, presentMetrics } from '../../../measure/metric-names.js';
import type { Report } from '../runs.js';
import { type Axis, type Chart, type DrawnCurve, isSpread, type Line, styleOf } from './chart.js';
import type { Curve } from './curve.js';
import { inMs } from './figure.js';

const latencyAxis = (scale: 'linear' | 'log'): Axis => ({ label: 'latency, ms', scale });

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

interface Subject {
  label: string;
  id: string;
  curve: Curve;
  /** Index of its colour and dash. A run has the same in every chart. */
  style: number;
}

/** Draws latency by percentile, and the share up to a latency, for the headline, or one run of several. */
export function latencyCharts({ runs, scenario }: Report): Chart[] {
  const headline = new Set(scenario.headline.flatMap((column) => (column.kind === 'figure' ? [column.metric] : [])));
  const [sole] = runs;
  if (sole && runs.length === 1) {
    const all = presentMetrics(scenario, Object.keys(sole.curves)).filter((metric) => !isLowerEnd(scenario, metric));
    const main = all.filter((metric) => headline.has(metric));
    const drawn = (main.length > 0 ? main : all).flatMap((metric) => {
      const curve = sole.curves[metric];
      return curve ? [{ label: metric, id: curveId(0, metric), curve }] : [];
    });
    return pair(
      'latency',
      '',
      drawn.map((each, style) => ({ ...each, style })),
    );
  }
  return [...headline].flatMap((metric) => {
    const subjects = runs.flatMap(({ label, curves }, style): Subject[] => {
      const curve = curves[metric];
      return curve ? [{ label, id: curveId(style, metric), curve, style }] : [];
    });
    return pair(`latency-${metric}`, `: ${metric}`, subjects);
  });
}

function reachOf(subjects: readonly Subject[]): (number | undefined)[] {
  const drawn = subjects.map(({ curve }) => curve.us[curve.ranks.findLastIndex((rank) => rank <= curve.lastCarried)]);
  const medians = subjects.map(({ curve }) => curve.percentiles.find(({ share }) => share === 0.5)?.us);
  return [...drawn, ...medians];
}

function pair(id: string, of: string, subjects: readonly Subject[]): Chart[] {
  if (subjects.length === 0) return [];
  const lines = (as: 'cdf' | 'spectrum'): Line[] =>
    subjects.map(({ label, id: curve, style }) => ({
      ...{ label, look: 'line', points: { curve, as } },
      ...styleOf(style),
    }));
  const isWide = isSpread(reachOf(subjects));
  const shared = {
    bands: [],
    size: 'large',
    table: ladderTable(subjects),
    tableNote: 'ms; –: too few independent samples for this percentile. From the samples kept beside the result.',
  } as const;
  return [
    {
      ...shared,
      id: `${id}-spectrum`,
      title: `Latency by percentile${of}`,
      summary: `${isWide ? 'Both axes are logarithmic. ' : ''}A line ends five independent samples before the slowest.`,
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
  const all = subjects.flatMap(({ curve }) => curve.percentiles.map(({ share }) => share));
  const shares = [...new Set(all)].sort((a, b) => a - b);
  return {
    head: [
      '',
      ...shares.map((share) =>
        share === 0 ? 'least' : share === 1 ? 'largest' : `${Number((share * 100).toFixed(4))} %`,
      ),
      'samples',
    ],
    rows: subjects.map(({ label, curve: { percentiles, count } }) => {
      const at = (share: number): number | undefined => percentiles.find((each) => each.share === share)?.us;
      return [label, ...shares.map((share) => inMs(at(share))), count];
    }),
  };
}
