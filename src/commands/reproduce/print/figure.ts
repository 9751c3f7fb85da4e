import type { PublishedFigure, PublishedUnit } from '../../../results/published.js';
import type { Reproduction } from '../reproduction.js';

const bounds = { about: '~', atLeast: '≥ ', below: '< ' } as const;

/** A value in the published unit: counts whole, others with three significant digits. */
export function inUnit(value: number, unit: PublishedUnit): string {
  if (unit === 'count') return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
  // Only all of it is 100 %.
  const shown = unit === '%' && value < 100 ? Math.min(value, 99.99).toFixed(2) : plain(value);
  return `${shown} ${unit}`;
}

function plain(value: number): string {
  return value.toLocaleString(
    'en-US',
    value >= 100 ? { maximumFractionDigits: 0 } : { minimumSignificantDigits: 3, maximumSignificantDigits: 3 },
  );
}

/** A figure as in its source. */
export function asPublished({ value, unit, bound }: PublishedFigure): string {
  const number = value.toLocaleString('en-US', { maximumFractionDigits: 6 });
  return `${bound ? bounds[bound] : ''}${number}${unit === 'count' ? '' : ` ${unit}`}`;
}

/** The measured median with its interval, or else the range of the runs; without a value, why. */
export function asMeasured({ measured, why }: Reproduction['rows'][number], unit: PublishedUnit): string {
  if (!measured) return why;
  const { median, least, most, interval } = measured;
  const [low, high] = interval ?? [least, most];
  if (inUnit(low, unit) === inUnit(high, unit)) return inUnit(median, unit);
  const ends = [low, high].map((each) => inUnit(each, unit).replace(/ [^ ]+$/, '')).join(' to ');
  return `${inUnit(median, unit)} ${interval ? `[${ends}]` : `(${ends})`}`;
}

/** Measured over published; a dash without a ratio. */
export function times(ratio: number | null): string {
  if (ratio === null) return '–';
  return `× ${ratio.toLocaleString('en-US', { maximumSignificantDigits: 2 })}`;
}
