import type { Declaration } from '../../measure/declaration.js';
import { pairOf } from '../../measure/statement.js';
import type { Comparison } from '../../results/comparison.js';
import type { Paired } from '../../results/paired.js';
import { plural, shareOf } from '../../units/text.js';
import { milliseconds } from '../words/values.js';
import { bySpeed, claimsOf, contenders, isMeasured } from './claims.js';
import { medianColumn, ratioInWords } from './words.js';

/** A bracket that is wider than this share of the median is printed with it. */
const wideBracket = 0.05;

export interface PairedTable {
  head: string[];
  rows: string[][];
  /** Explains the cells in lines. */
  legend: string[];
}

/** Builds the table of targets with figures, the fastest first. It has no ratios if no order is claimed. */
export function pairedTable(paired: Paired, scenario: Declaration): PairedTable {
  const { pairs } = paired;
  const claims = claimsOf(paired);
  const median = medianColumn(scenario);
  const delivered = scenario.headline.find(({ kind }) => kind === 'share');
  const tail = paired.targets.find((each) => each.tail !== null)?.tail?.figure;
  const targets = contenders(paired).filter(isMeasured);
  const names = targets.map(({ target }) => target);
  const sorted = claims ? bySpeed(names, pairs) : names;
  const title = median?.title ?? 'p50';
  const rows = sorted.map((name) => {
    const target = targets.find((each) => each.target === name) as Paired['targets'][number];
    const pair = claims && pairOf(pairs, name, claims.reference);
    return [
      name,
      medianCell(target),
      ...(claims ? [pair ? ratioInWords(pair) : '–'] : []),
      ...(tail === undefined ? [] : [milliseconds(target.tail?.us)]),
      ...(delivered ? [target.deliveredShare === null ? '–' : shareOf(target.deliveredShare, 1)] : []),
    ];
  });
  return {
    head: [
      'target',
      `${title}, ms`,
      ...(claims ? [`vs ${claims.reference}`] : []),
      ...(tail === undefined ? [] : [`${title.replace('p50', tail)}, ms`]),
      ...(delivered ? [delivered.title] : []),
    ],
    rows,
    legend: [
      ...(claims
        ? [`vs ${claims.reference}: times as long, by ${median?.metric} ${title} in the same rounds [95 % over starts]`]
        : []),
      ...(targets.some(hasBracket) ? ['≥: without the time that the load generator may have added'] : []),
      ...(claims?.untold.some(({ because }) => because === 'chance')
        ? ['what narrows the intervals: a longer --budget, more --starts, a machine that is idle otherwise']
        : []),
    ],
  };
}

/** Returns true if the rig can have added so much to a median that it must be shown. */
export function hasBracket({ p50Us, p50AtLeastUs }: Paired['targets'][number]): boolean {
  return p50Us !== null && p50AtLeastUs !== null && p50Us - p50AtLeastUs > wideBracket * p50Us;
}

function medianCell(target: Paired['targets'][number]): string {
  return `${milliseconds(target.p50Us)}${bracketInWords(target)}`;
}

/** A lower bound below this share of the median is printed as 0. */
const asGoodAsNone = 0.01;

/** Returns ` (≥2.3)` if the bracket is wide, otherwise an empty text. */
export function bracketInWords(target: Paired['targets'][number]): string {
  const { p50Us, p50AtLeastUs } = target;
  if (!hasBracket(target)) return '';
  return (p50AtLeastUs ?? 0) < asGoodAsNone * (p50Us ?? 0) ? ' (≥0)' : ` (≥${milliseconds(p50AtLeastUs)})`;
}

/** Summarizes the verdicts of single runs in lines: void runs, and warnings about the load generator. */
export function runsInWords({ rows }: Pick<Comparison, 'rows'>): { voided: string; warned: string } {
  const runs = rows.flatMap((row) => row.runs.map(({ result }) => result));
  const of = (rig: 'void' | 'limited'): string => {
    const some = runs.filter(({ verdict }) => verdict.rig === rig);
    const rules = new Set(some.flatMap(({ verdict }) => verdict.evidence.map(({ rule }) => rule)));
    const share = `${some.length} of ${plural(runs.length, 'run')}`;
    if (some.length === 0) return '';
    return `${rig === 'void' ? `${share} void` : `load generator warnings in ${share}`}: ${[...rules].join(', ')}`;
  };
  return { voided: of('void'), warned: of('limited') };
}
