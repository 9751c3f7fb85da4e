import { isLowerEnd, presentMetrics } from '../../../measure/metric-names.js';
import { minSamplesBeyond, percentile, type Summary, samplesFor } from '../../../measure/samples/distribution.js';
import { eachValue, type Samples, sampleCount } from '../../../measure/samples/samples.js';
import { inMs } from '../markup.js';
import type { Report } from '../runs.js';
import { type Axis, type Chart, type Curve, isSpread, type Line, styleOf } from './chart.js';

/** With enough points, neighbours on a curve differ by at most this share. */
export const finestStep = 0.005;

const ladder = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 1] as const;

interface Ranked {
  count: number;
  at(rank: number): number;
  lastUpTo(us: number): number;
}

/** Reduces a distribution to some thousand points with exact ranks. Returns undefined if it is empty. */
export function curveOf(
  samples: Samples,
  { unfinished = 0, independent }: Pick<Summary, 'unfinished' | 'independent'> = {},
  runs = 1,
): Curve | undefined {
  const measured = sampleCount(samples);
  const count = measured + unfinished;
  const carrying = independent ?? count;
  if (measured === 0) return undefined;
  const ranked = rankedOf(samples);
  const beyond = carrying === 0 ? count : Math.ceil((minSamplesBeyond * count) / carrying);
  const lastCarried = Math.max(0, Math.min(measured, count - beyond));
  const percentiles = ladder.flatMap((share) => {
    if (share > 0 && share < 1 && carrying < samplesFor(share)) return [];
    const us = percentile(samples, share, unfinished);
    return us === null ? [] : [{ share, us }];
  });
  const always = [lastCarried, ...ladder.map((share) => Math.ceil(count * share - 1e-6))].filter(
    (rank) => rank > 0 && rank <= measured,
  );
  const mostPoints = Math.max(300, 3000 / runs);
  let ranks = picks(ranked, finestStep);
  for (let step = finestStep * 2; ranks.length > mostPoints; step *= 2) ranks = picks(ranked, step);
  const drawn = [...new Set([...ranks, ...always])].sort((a, b) => a - b);
  return { count, ranks: drawn, us: drawn.map((rank) => ranked.at(rank)), lastCarried, percentiles };
}

function picks({ count, at, lastUpTo }: Ranked, step: number): number[] {
  const ranks: number[] = [];
  for (let rank = 1; rank <= count; ) {
    const last = lastUpTo(at(rank) * (1 + step));
    ranks.push(rank);
    if (last > rank) ranks.push(last);
    rank = last + 1;
  }
  return ranks;
}

function rankedOf(samples: Samples): Ranked {
  const edges: number[] = [];
  const upTo: number[] = [];
  let seen = 0;
  eachValue(samples, (us, times) => {
    seen += times;
    edges.push(us);
    upTo.push(seen);
  });
  return {
    count: seen,
    at: (rank) => edges[below(upTo.length, (index) => (upTo[index] as number) < rank)] as number,
    lastUpTo: (us) => upTo[below(edges.length, (index) => (edges[index] as number) <= us) - 1] ?? 0,
  };
}

/** Counts the leading items for which `isSo` is true. They must all come first. */
function below(length: number, isSo: (index: number) => boolean): number {
  let low = 0;
  for (let high = length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const latencyAxis = (scale: 'linear' | 'log'): Axis => ({ label: 'latency, ms', scale });

export function curvesOf({ runs }: Report): Record<string, Curve> {
  const named = runs.flatMap(({ curves }, index) =>
    Object.entries(curves).map(([metric, curve]) => [curveId(index, metric), curve] as const),
  );
  return Object.fromEntries(named);
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
