import { bytes, count, duration } from '../units/unit.js';
import { countIn, shareIn } from './ledger.js';
import { percentiles, samplesFor, spelled } from './samples/distribution.js';
import type { Holds } from './statement.js';

export const thresholdFigures = ['p50', 'p90', 'p95', 'p99', 'p999', 'min', 'max', 'mean'] as const;
export const seriesFigures = ['min', 'max', 'mean', 'last'] as const;
export type SeriesFigure = (typeof seriesFigures)[number];
export type ThresholdFigure = (typeof thresholdFigures)[number];

const comparisons = {
  '<': (value: number, bound: number) => value < bound,
  '<=': (value: number, bound: number) => value <= bound,
  '==': (value: number, bound: number) => value === bound,
  '>=': (value: number, bound: number) => value >= bound,
  '>': (value: number, bound: number) => value > bound,
} as const;

export type ComparisonSign = keyof typeof comparisons;

/** A bound for a run: a figure in microseconds or of a `--series`, a count, or a count as a share of another. */
export type Threshold = { text: string; comparison: ComparisonSign; bound: number } & (
  | { kind: 'figure'; metric: string; figure: ThresholdFigure }
  | { kind: 'series'; metric: string; figure: SeriesFigure }
  | { kind: 'count'; entry: string }
  | { kind: 'share'; part: string; whole: string }
);

/** Describes a threshold on a figure of a `--series`. */
export type SeriesThreshold = Extract<Threshold, { kind: 'series' }>;

export interface ThresholdSubjects {
  metrics: readonly string[];
  /** Metrics that runs have by name, too, as `ask:login`. */
  families?: readonly string[];
  counts: readonly string[];
  shares: readonly { part: string; whole: string }[];
  /** Names of `--series`. */
  series?: readonly string[];
}

/** Reads `delivery.p99<200ms`, `lost==0` or `delivered>=99.9%`. Undefined for other text, subjects and bounds. */
export function parseThreshold(text: string, subjects: ThresholdSubjects): Threshold | undefined {
  const threshold = readThreshold(text, subjects);
  return typeof threshold === 'string' ? undefined : threshold;
}

/** Returns the first wrong part of a text that `parseThreshold` refuses, as `expected …, received …`. */
export function thresholdFault(text: string, subjects: ThresholdSubjects): string {
  return String(readThreshold(text, subjects));
}

/** Explains why no run can meet a threshold, as what was expected instead. Undefined if a run can. */
function faultOfBound({ kind, comparison, bound }: Threshold): string | undefined {
  const isBelow = comparison === '<' || (kind === 'figure' && ['<=', '=='].includes(comparison));
  if (isBelow && bound === 0) return kind === 'figure' ? 'a time above 0' : '<= or == before 0';
  if (kind !== 'share') return undefined;
  if (bound > 1) return 'a percentage of at most 100%';
  return comparison === '>' && bound === 1 ? '>= or == before 100%' : undefined;
}

function readThreshold(
  text: string,
  { metrics, families = [], counts, shares, series = [] }: ThresholdSubjects,
): Threshold | string {
  const whole = text.trim();
  const parts = /^(\w[\w:./ @#-]*?)(?:\.(\w+(?:\.\d+)?))?\s*([<=>!]+)\s*(\S+)$/.exec(whole);
  if (!parts) return `expected a name, a sign and a bound such as ${metrics[0]}.p50<200ms, received ${whole}`;
  const [, name = '', word, sign = '', end = ''] = parts;
  const wrong = (expected: string, received: string): string =>
    `expected ${expected}, received ${received} in ${whole}`;
  const checked = (threshold: Threshold): Threshold | string => {
    const fault = faultOfBound(threshold);
    return fault === undefined ? threshold : wrong(fault, `${sign}${end}`);
  };
  if (!(sign in comparisons)) return wrong(oneOf(Object.keys(comparisons)), sign);
  const common = { text: whole, comparison: sign as ComparisonSign };
  if (word !== undefined && series.includes(name)) {
    const figure = seriesFigures.find((each) => each === word);
    const bound = /^-?\d+\.\d+$/.test(end) ? Number(end) : (bytes.parse(end) ?? count.parse(end));
    if (figure === undefined) return wrong(oneOf(seriesFigures), word);
    if (bound === undefined) return wrong('a number such as 0.5, 10k or 2gb', end);
    return { ...common, kind: 'series', metric: name, figure, bound };
  }
  if (word !== undefined) {
    const ms = duration.parse(end);
    const figure = thresholdFigures.find((each) => each === word || spelled(each) === word);
    if (!metrics.includes(name) && !isPartOf(families, name))
      return wrong(`${oneOf([...metrics, ...series])}${partsInWords(families)}`, name);
    if (figure === undefined) return wrong(oneOf(thresholdFigures), word);
    if (ms === undefined)
      return wrong(count.parse(end) === undefined ? duration.expected : `a unit, as in ${end}ms`, end);
    return checked({ ...common, kind: 'figure', metric: name, figure, bound: ms * 1000 });
  }
  const isShare = end.endsWith('%');
  const share = isShare ? shares.find(({ part }) => part === name) : undefined;
  const known = isShare ? shares.map(({ part }) => part) : counts;
  if (!known.includes(name) && metrics.includes(name)) return wrong(`a figure of it, as in ${name}.p99`, name);
  if (!known.includes(name))
    return wrong(known.length > 0 ? `${oneOf(known)}${isShare ? ' where there is a %' : ''}` : oneOf(metrics), name);
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(end)?.[1];
  if (share && percent !== undefined)
    return checked({ ...common, kind: 'share', ...share, bound: Number((Number(percent) / 100).toPrecision(12)) });
  const bound = isShare ? undefined : count.parse(end);
  if (bound === undefined) return wrong(isShare ? 'a percentage such as 99.9%' : count.expected, end);
  return checked({ ...common, kind: 'count', entry: name, bound });
}

function isPartOf(families: readonly string[], name: string): boolean {
  return families.some((family) => name.startsWith(`${family}:`) && name.length > family.length + 1);
}

/** Returns the form of names of parts, to be added to a list of metrics. Empty if none has parts. */
export function partsInWords(families: readonly string[] = []): string {
  return families.length > 0 ? `; or a part of ${families.join(', ')} by name, as ${families[0]}:NAME` : '';
}

const oneOf = (names: readonly string[]): string => `one of ${names.join(', ')}`;

export function thresholdForms({ metrics, families, counts, shares, series = [] }: ThresholdSubjects): string {
  const figures = thresholdFigures.map(spelled).join(', ');
  const subjects = `${metrics.join(', ')}${partsInWords(families)}`;
  const forms = [
    ...(metrics.length > 0
      ? [`METRIC.FIGURE<DURATION with metric one of ${subjects} and figure one of ${figures}`]
      : []),
    ...(series.length > 0 ? [`SERIES.FIGURE<NUMBER with figure one of ${seriesFigures.join(', ')}`] : []),
    ...(counts.length > 0 ? [`COUNT==NUMBER with count one of ${counts.join(', ')}`] : []),
    ...(shares.length > 0 ? [`COUNT>=PERCENT% with count one of ${shares.map(({ part }) => part).join(', ')}`] : []),
  ];
  return `${forms.join(', or ')} (and <, <=, ==, >=, >)`;
}

export function samplesForFigure(figure: ThresholdFigure): number {
  return figure in percentiles ? samplesFor(percentiles[figure as keyof typeof percentiles]) : 1;
}

export function valueFor(
  threshold: Threshold,
  metrics: Readonly<Record<string, { [figure in ThresholdFigure]: number | null }>>,
  ledger: Readonly<Record<string, unknown>>,
  series: Readonly<Record<string, Record<SeriesFigure, number>>> = {},
): number | null {
  if (threshold.kind === 'series') return series[threshold.metric]?.[threshold.figure] ?? null;
  if (threshold.kind === 'figure') return metrics[threshold.metric]?.[threshold.figure] ?? null;
  if (threshold.kind === 'count') return countIn(ledger, threshold.entry);
  return shareIn(ledger, threshold.part, threshold.whole);
}

/** Returns true if a value meets a threshold. A missing value meets none. */
export function isKept({ comparison, bound }: Pick<Threshold, 'comparison' | 'bound'>, value: number | null): boolean {
  return value !== null && comparisons[comparison](value, bound);
}

/** Returns true if one end of an interval meets a threshold and the other end does not. */
export function isUndecided(threshold: Pick<Threshold, 'comparison' | 'bound'>, least: number, most: number): boolean {
  const isInside = least < threshold.bound && threshold.bound < most;
  return isKept(threshold, least) !== isKept(threshold, most) || (threshold.comparison === '==' && isInside);
}

export const ratioSigns = ['<', '<=', '>=', '>'] as const;
export type RatioSign = (typeof ratioSigns)[number];

/** Bounds the ratio of target `a` to target `b` in a figure (`delivery.p50`) or count (`lost`). */
export interface RatioThreshold {
  text: string;
  a: string;
  b: string;
  of: string;
  comparison: RatioSign;
  bound: number;
}

/** Names that a ratio may use: targets of the comparison, its figures, and counts of the ledger. */
interface RatioSubjects {
  targets: readonly string[];
  figures: readonly string[];
  counts: readonly string[];
}

/** Returns true if a text has the form of a ratio threshold. No other threshold has it. */
export function isRatioText(text: string): boolean {
  return text.includes('/');
}

/** Reads `head/base delivery.p50 < 1.05` or `head/base lost <= 1`. Returns every fault of other text. */
export function parseRatioThreshold(text: string, subjects: RatioSubjects): RatioThreshold | { faults: string[] } {
  const { targets, figures, counts } = subjects;
  const whole = text.trim();
  const parts = /^([^\s/]+)\s*\/\s*([^\s/]+)\s+([\w.]+)\s*([<=>!]+)\s*(\S+)$/.exec(whole);
  if (!parts) return { faults: [`expected two targets, a figure, a sign and a number, received ${whole}`] };
  const [, a = '', b = '', of = '', sign = '', number = ''] = parts;
  const comparison = ratioSigns.find((each) => each === sign);
  const bound = /^\d+(?:\.\d+)?$/.test(number) ? Number(number) : 0;
  const expected = (what: string, received: string): string => `expected ${what}, received ${received} in ${whole}`;
  const faults = [
    ...[a, b].flatMap((name) => (targets.includes(name) ? [] : [expected(oneOf(targets), name)])),
    ...(a === b ? [expected('two different targets', `${a} twice`)] : []),
    ...([...figures, ...counts].includes(of) ? [] : [expected(oneOf([...figures, ...counts]), of)]),
    ...(comparison ? [] : [expected(oneOf(ratioSigns), sign)]),
    ...(bound > 0 ? [] : [expected('a number above 0 such as 1.05', number)]),
  ];
  return comparison && faults.length === 0 ? { text: whole, a, b, of, comparison, bound } : { faults };
}

export function ratioForm({ targets, figures, counts }: RatioSubjects): string {
  const names = [...figures, ...counts].join(', ');
  return `A/B FIGURE<NUMBER with targets among ${targets.join(', ')} and figure one of ${names} (and <, <=, >=, >)`;
}

/** Decides the limit of a ratio by its bounds. Each bound has its own level, so it is a one-sided statement. */
export function decideRatio(
  { comparison, bound }: Pick<RatioThreshold, 'comparison' | 'bound'>,
  [low, high]: readonly [low: number, high: number],
): Holds {
  const isAbove = comparison === '<' || comparison === '<=';
  if (high < bound) return isAbove ? 'yes' : 'no';
  if (low > bound) return isAbove ? 'no' : 'yes';
  return 'open';
}

/** Decides by totals. They are counted, so they need no interval. The ratio of 0 to 0 is 1. */
export function decideTotals(
  { comparison, bound }: Pick<RatioThreshold, 'comparison' | 'bound'>,
  a: number,
  b: number,
): Holds {
  const [of, limit] = a === 0 && b === 0 ? [1, bound] : [a, bound * b];
  return isKept({ comparison, bound: limit }, of) ? 'yes' : 'no';
}
