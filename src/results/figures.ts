import {
  type Declaration,
  type HeadlineColumn,
  isTimed,
  type MetricSpec,
  publishWayOf,
} from '../measure/declaration.js';
import { countIn, type LedgerEntries, shareIn } from '../measure/ledger.js';
import { metricSpec } from '../measure/metric-names.js';
import { parseThreshold, partsInWords, type ThresholdFigure, type ThresholdSubjects } from '../measure/threshold.js';
import { leastUs } from '../measure/verdict/facts.js';
import type { RunResult, Verdict } from './result.js';

/** Returns the names for a scenario's thresholds: metrics, counts of its ledger, shares of its headline. */
export function subjectsOf(scenario: Declaration): ThresholdSubjects {
  return {
    metrics: Object.keys(scenario.metrics),
    families: Object.keys(scenario.metrics).filter((name) => scenario.metrics[name]?.isFamily),
    counts: Object.keys(scenario.books.kinds),
    shares: scenario.headline.flatMap((column) => (column.kind === 'share' ? column : [])),
  };
}

const footprintName = 'footprint';

export const figureUnits = { figure: 'us', count: 'count', share: 'share', footprint: 'bytes' } as const;

/** Returns the figure of a name: `delivery.p99`, `lost`, `delivered%` or `footprint`; undefined without. */
export function figureByName(name: string, scenario: Declaration): HeadlineColumn | undefined {
  if (name === footprintName) return { title: name, kind: 'footprint' };
  const subjects = subjectsOf(scenario);
  const thresholds = name.endsWith('%') ? [`${name.slice(0, -1)}>=0%`] : [`${name}>=0ms`, `${name}>=0`];
  const [found] = thresholds.flatMap((text) => parseThreshold(text, subjects) ?? []);
  if (!found || found.kind === 'series') return undefined;
  const { text: _text, comparison: _sign, bound: _bound, ...subject } = found;
  return { ...subject, title: name };
}

export function figureName(column: HeadlineColumn): string {
  switch (column.kind) {
    case 'figure':
      return `${column.metric}.${column.figure}`;
    case 'count':
      return column.entry;
    case 'share':
      return `${column.part}%`;
    case 'footprint':
      return footprintName;
  }
}

export function figureForms(scenario: Declaration): string {
  const { metrics, families, counts, shares } = subjectsOf(scenario);
  const parts = [
    `METRIC.FIGURE with metric one of ${metrics.join(', ')}${partsInWords(families)}`,
    `a count: ${counts.join(', ')}`,
    ...(shares.length > 0 ? [`a share: ${shares.map(({ part }) => `${part}%`).join(', ')}`] : []),
    footprintName,
  ];
  return parts.join('; or ');
}

/** Returns a run's figure in the column's unit (microseconds, count, share of 1, bytes); null without. */
export function headlineValue(column: HeadlineColumn, { metrics, ledger, environment }: RunResult): number | null {
  switch (column.kind) {
    case 'figure':
      return metrics[column.metric]?.[column.figure] ?? null;
    case 'count':
      return countIn(ledger, column.entry);
    case 'share':
      return shareIn(ledger, column.part, column.whole);
    case 'footprint':
      return environment.footprint?.bytesPerConnection ?? null;
  }
}

export function mainMetric({ headline }: Pick<Declaration, 'headline'>): string | undefined {
  return headline.find((column) => column.kind === 'figure')?.metric;
}

/** Returns the main metric, if a run with these options times it during the run. */
export function liveMetric(scenario: Declaration, options: Record<string, unknown>): string | undefined {
  const metric = mainMetric(scenario);
  const isLive = isTimed(publishWayOf(scenario, options)) && scenario.blockTimes?.(options)[metric ?? ''];
  return isLive ? metric : undefined;
}

export type RigBound = NonNullable<Verdict['bounds']>[number];

export function isAbout(bound: RigBound, metric: string, figure: ThresholdFigure): boolean {
  return bound.metric === metric && (bound.figure ?? figure) === figure;
}

/** Returns the least of a figure by its bounds, in microseconds. Undefined for a figure without a bound. */
export function leastByBounds({ bounds = [] }: Verdict, metric: string, figure: ThresholdFigure): number | undefined {
  const own = bounds.filter((each) => isAbout(each, metric, figure));
  return own.length > 0 ? Math.max(0, Math.min(...own.map((each) => each.leastUs))) : undefined;
}

/** Returns the lowest bound of a figure in any valid run, by bracket and bounds, as a share of it. 1 if it is exact. */
export function leastShare(
  column: HeadlineColumn,
  runs: readonly Pick<RunResult, 'metrics' | 'verdict'>[],
  { metrics: declared }: Pick<Declaration, 'metrics'>,
): number {
  if (column.kind !== 'figure') return 1;
  const { metric, figure } = column;
  const shares = runs.flatMap(({ metrics, verdict: { rig, bounds = [] } }) => {
    const [whole, least] = [metrics[metric]?.[figure], leastUs({ metrics, declared }, bounds, metric, figure)];
    return rig === 'void' || !whole || least === null ? [] : [Math.max(0, least) / whole];
  });
  return Math.min(1, ...shares);
}

/** Returns true if a valid run bounds a figure: the rig may have added to it. */
export function isBounded(column: HeadlineColumn, runs: readonly Pick<RunResult, 'verdict'>[]): boolean {
  if (column.kind !== 'figure') return false;
  const { metric, figure } = column;
  return runs.some(
    ({ verdict: { rig, bounds = [] } }) => rig !== 'void' && bounds.some((each) => isAbout(each, metric, figure)),
  );
}

/** Says which way a figure improves. `neither` if a change is no merit and no fault of the target. */
export type Direction = 'lower' | 'higher' | 'neither';

const directions = { given: 'neither', merit: 'higher', burden: 'lower', fault: 'lower' } as const;

type Declared = Pick<Declaration, 'metrics' | 'books'>;

/** Returns the value without any fault: no fault counted, or all of a share. Undefined for other figures. */
export function faultless(column: HeadlineColumn, { books }: Declared): number | undefined {
  if (column.kind === 'count') return books.kinds[column.entry] === 'fault' ? 0 : undefined;
  return column.kind === 'share' && books.kinds[column.part] === 'merit' ? 1 : undefined;
}

/** Returns which way is better: less time, bytes and faults, more merits. `neither` for the rig’s own metrics. */
export function directionOf(column: HeadlineColumn, scenario: Declared): Direction {
  const ofCount = (name: string): Direction => directions[scenario.books.kinds[name] ?? 'given'];
  switch (column.kind) {
    case 'figure':
      return metricSpec(scenario, column.metric)?.of === 'target' ? 'lower' : 'neither';
    case 'count':
      return ofCount(column.entry);
    case 'share':
      return ofCount(column.part);
    case 'footprint':
      return 'lower';
  }
}

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
