import type { Holds } from '../statement.js';
import { isKept } from '../threshold.js';

export const ratioSigns = ['<', '<=', '>=', '>'] as const;
export type RatioSign = (typeof ratioSigns)[number];

/** A bound for how many times as much target `a` has of a figure (`delivery.p50`) or count (`lost`) as target `b`. */
export interface RatioThreshold {
  text: string;
  a: string;
  b: string;
  of: string;
  comparison: RatioSign;
  bound: number;
}

/** What a ratio can name: the targets of the comparison, the figures that it compares, and the counts of the ledger. */
export interface RatioSubjects {
  targets: readonly string[];
  figures: readonly string[];
  counts: readonly string[];
}

/** A form that no other threshold has. */
export function isRatioText(text: string): boolean {
  return text.includes('/');
}

/** Reads `head/base delivery.p50 < 1.05` or `head/base lost <= 1`; everything that is wrong with another text. */
export function parseRatioThreshold(text: string, subjects: RatioSubjects): RatioThreshold | { faults: string[] } {
  const { targets, figures, counts } = subjects;
  const whole = text.trim();
  const parts = /^([^\s/]+)\s*\/\s*([^\s/]+)\s+([\w.]+)\s*([<=>!]+)\s*(\S+)$/.exec(whole);
  if (!parts) return { faults: [`expected two targets, a figure, a sign and a number, received ${whole}`] };
  const [, a = '', b = '', of = '', sign = '', number = ''] = parts;
  const comparison = ratioSigns.find((each) => each === sign);
  const bound = /^\d+(?:\.\d+)?$/.test(number) ? Number(number) : 0;
  const expected = (what: string, received: string): string => `expected ${what}, received ${received} in ${whole}`;
  const oneOf = (names: readonly string[]): string => `one of ${names.join(', ')}`;
  const faults = [
    ...[a, b].flatMap((name) => (targets.includes(name) ? [] : [expected(oneOf(targets), name)])),
    ...(a === b ? [expected('two different targets', `${a} twice`)] : []),
    ...([...figures, ...counts].includes(of) ? [] : [expected(oneOf([...figures, ...counts]), of)]),
    ...(comparison ? [] : [expected(oneOf(ratioSigns), sign)]),
    ...(bound > 0 ? [] : [expected('a number above 0 such as 1.05', number)]),
  ];
  return comparison && faults.length === 0 ? { text: whole, a, b, of, comparison, bound } : { faults };
}

/** The form of a ratio as threshold about these subjects, for messages. */
export function ratioForm({ targets, figures, counts }: RatioSubjects): string {
  const names = [...figures, ...counts].join(', ');
  return `A/B FIGURE<NUMBER with targets among ${targets.join(', ')} and figure one of ${names} (and <, <=, >=, >)`;
}

/** What the bounds of a ratio say of its limit: each bound has its own level, so an end is a one-sided statement. */
export function decideRatio(
  { comparison, bound }: Pick<RatioThreshold, 'comparison' | 'bound'>,
  [low, high]: readonly [low: number, high: number],
): Holds {
  const isAbove = comparison === '<' || comparison === '<=';
  if (high < bound) return isAbove ? 'yes' : 'no';
  if (low > bound) return isAbove ? 'no' : 'yes';
  return 'open';
}

/** Totals are counted, so they decide without an interval; nothing against nothing counts as once as much. */
export function decideTotals(
  { comparison, bound }: Pick<RatioThreshold, 'comparison' | 'bound'>,
  a: number,
  b: number,
): Holds {
  const [of, limit] = a === 0 && b === 0 ? [1, bound] : [a, bound * b];
  return isKept({ comparison, bound: limit }, of) ? 'yes' : 'no';
}
