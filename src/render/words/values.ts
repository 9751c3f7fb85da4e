import type { Declaration, HeadlineColumn } from '../../measure/declaration.js';
import { spelled } from '../../measure/samples/distribution.js';
import { slopeReach95 } from '../../measure/stats/trend.js';
import { parseThreshold, samplesForFigure } from '../../measure/threshold.js';
import { optionsOf } from '../../options/option.js';
import type { RunResult } from '../../results/result.js';
import { countText, shareOf } from '../../units/text.js';
import { units } from '../../units/unit.js';

/** Formats a figure without its unit: milliseconds, percent, counts or bytes. Null becomes a dash. */
export function valueInWords(kind: HeadlineColumn['kind'], value: number | null): string {
  if (value === null) return milliseconds(null);
  switch (kind) {
    case 'figure':
      return milliseconds(value);
    case 'count':
      return countInWords(value);
    case 'share':
      return shareOf(value, 1);
    case 'footprint':
      return countText(Math.round(value));
  }
}

/** Formats a count or a rate, with one decimal from 100 on and two below. */
export function countInWords(value: number): string {
  const digits = 10 ** (Math.abs(value) < 100 ? 2 : 1);
  return countText(Math.round(value * digits) / digits);
}

export function titleInWords({ title, kind }: Pick<HeadlineColumn, 'title' | 'kind'>): string {
  return kind === 'figure' ? `${title}, ms` : title;
}

/** Formats the value of a `--series`: bytes in MB. */
export function seriesInWords(value: number, isBytes: boolean): string {
  return isBytes ? `${countInWords(value / 1e6)} MB` : String(Number(value.toPrecision(6)));
}

/** Returns true if the limit of a `--series` is a size, as that of `heap.max<2gb`. */
export function isSize(limit: string): boolean {
  return /[\dkmgi]b$/i.test(limit);
}

/** Formats the value by which a threshold was judged, or the reason why there is none. */
export function thresholdInWords(
  { kind, value, text, undecidedFromUs: from }: RunResult['thresholds'][number],
  metrics: RunResult['metrics'],
): string {
  if (kind === 'series')
    return value === null ? 'no value: no reading of it under the load' : seriesInWords(value, isSize(text));
  const told = `${valueInWords(kind, value)}${kind === 'figure' ? ' ms' : ''}`;
  if (from !== undefined)
    return `undecided: from ${milliseconds(from)} to ${told}, the load generator may have added the rest`;
  if (value !== null) return told;
  const threshold = parseThreshold(text, { metrics: Object.keys(metrics), counts: [], shares: [] });
  if (threshold?.kind !== 'figure') return 'no value: not measured';
  const { count: measured = 0, unfinished = 0 } = metrics[threshold.metric] ?? {};
  const [all, needed] = [measured + unfinished, samplesForFigure(threshold.figure)];
  if (all === 0) return 'no value: no samples';
  const independent = metrics[threshold.metric]?.independent ?? all;
  if (independent < needed) {
    const lacking = `${spelled(threshold.figure)} needs ${countText(needed)} independent samples`;
    return `no value: ${lacking}, got ${countText(independent)}`;
  }
  return `no value: ${countText(unfinished)} of ${countText(all)} did not come within the run`;
}

/** Formats the 95 % interval of a percentile in milliseconds. Empty without one, and for other figures. */
export function intervalInWords(column: HeadlineColumn, metrics: RunResult['metrics']): string {
  const ends = column.kind === 'figure' ? metrics[column.metric]?.intervals[column.figure] : undefined;
  return ends?.map(milliseconds).join(' to ') ?? '';
}

/** Formats a scenario's options in a line: `clients 1k · broadcasts 100 · rate 10/s`. */
export function optionsInWords(scenario: Declaration, options: Record<string, unknown>): string {
  return optionsOf(scenario.options)
    .filter(({ key }) => options[key] !== undefined)
    .map(({ key, flag, unit }) => {
      const value = options[key];
      const isNumber = unit !== undefined && typeof value === 'number';
      return `${flag} ${isNumber ? rounded(units[unit].print(value)) : String(value)}`;
    })
    .join(' · ');
}

/** Rounds an option to two decimals, or to three digits below 1. Options that a comparison chose have many digits. */
function rounded(text: string): string {
  return text.replace(/\d+\.\d{3,}/, (number) => {
    const value = Number(number);
    return String(Number(value < 1 ? value.toPrecision(3) : value.toFixed(2)));
  });
}

type Footprint = NonNullable<RunResult['environment']['footprint']>;

/** Formats the target's memory per connection: `8,012 ± 211 bytes per connection`. */
export function footprintInWords({ bytesPerConnection, errorBytes, points }: Footprint): string {
  const reach = slopeReach95({ slopeError: errorBytes, points });
  return `${countText(Math.round(bytesPerConnection))} ± ${countText(Math.round(reach))} bytes per connection`;
}

/** Formats microseconds as milliseconds with at least three digits: `0.412`, `3.07`, `1,204`. Null: a dash. */
export function milliseconds(us: number | null | undefined): string {
  if (us === null || us === undefined) return '–';
  const ms = us / 1000;
  const digits = ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0;
  return ms.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
