import { mean, sum } from 'simple-statistics';
import type { Declaration, HeadlineColumn } from '../../measure/declaration.js';
import { overlappingIn } from '../../measure/paired/compare-starts.js';
import { pairOf } from '../../measure/statement.js';
import { targetStarved } from '../../measure/verdict/machine-rules.js';
import { optionsOf } from '../../options/option.js';
import type { Comparison } from '../../results/comparison.js';
import { coreWaitShare } from '../../results/over-time/readings.js';
import type { Paired } from '../../results/paired.js';
import { plural, shareOf } from '../../units/text.js';
import { units } from '../../units/unit.js';
import { type TextPiece, toned } from '../document/document.js';
import { milliseconds } from '../words/values.js';
import { bySpeed, claimsOf, contenders, isMeasured, percentText, ratioInWords } from './claims.js';

/** Returns the figure behind the ratios: the first median of the headline. */
export function medianColumn({ headline }: Declaration): Extract<HeadlineColumn, { kind: 'figure' }> | undefined {
  const figures = headline.filter((column) => column.kind === 'figure');
  return figures.find(({ figure }) => figure === 'p50') ?? figures[0];
}

const endings = {
  starts: '',
  decided: ', as all pairs were decided',
  budget: ', as the budget was used up',
  interrupted: '',
  tooFew: ', as too few targets were left',
} as const satisfies Record<Paired['ended'], string>;

/** Describes the measurement in a line: audience, payload, design, starts and rounds, time. */
export function shapeInWords({ rows }: Pick<Comparison, 'rows'>, paired: Paired, scenario: Declaration): string {
  const { starts, startsPlanned, rounds, ended, tookMs } = paired;
  const of = starts.length === startsPlanned ? `${startsPlanned}` : `${starts.length} of ${startsPlanned}`;
  const what = scenario.publishes ? 'broadcast' : 'message';
  return [
    ...loadInWords(rows, scenario),
    `all servers up at once, one ${what} each in turn`,
    `${of} fresh starts × ${rounds} rounds${endings[ended]}`,
    `${Math.round(tookMs / 1000)} s`,
  ].join(' · ');
}

function loadInWords(rows: Comparison['rows'], scenario: Declaration): string[] {
  const given = rows.flatMap(({ runs }) => runs)[0]?.result.job.options ?? {};
  const options = optionsOf(scenario.options);
  const audience = options.find(({ unit }) => unit === 'count');
  const payload = options.find(({ unit }) => unit === 'bytes');
  const print = (option: typeof audience): string | undefined => {
    const value = option && given[option.key];
    return option?.unit && typeof value === 'number' ? units[option.unit].print(value) : undefined;
  };
  const [clients, size] = [print(audience), print(payload)];
  return [
    ...(clients === undefined ? [] : [`${clients} ${audience?.flag}`]),
    ...(size === undefined ? [] : [`${payload?.flag} ${size}`]),
  ];
}

/** Describes the machine in a line: stolen time, rounds excluded for it, waits for cores, and the control. */
export function machineInWords({ rows }: Pick<Comparison, 'rows'>, paired: Paired): string {
  const taken = stolenInWords(paired);
  const parts = [taken, excludedInWords(paired, taken !== ''), overlapsInWords(paired), starvedInWords(rows)];
  const machine = parts.filter((each) => each !== '').join('; ');
  return `machine: ${machine}. ${controlInWords(paired)}`;
}

function overlapsInWords({ starts }: Paired): string {
  const of = sum(starts.map((start) => overlappingIn(start).size));
  const all = sum(starts.map(([first]) => first?.p50Us.length ?? 0));
  if (of === 0) return '';
  return `${of} of ${all} rounds void, as deliveries were still under way when the next slot began`;
}

/** Below this probability, rounds were not excluded evenly. */
const evenFrom = 0.01;

function stolenInWords({ targets }: Paired): string {
  const known = targets.flatMap(({ stolenShare }) => stolenShare ?? []);
  if (known.length === 0) return '';
  const share = mean(known);
  return `the hypervisor took ${share > 0 ? percentText(share) : 'none'} of the CPU`;
}

/** Up to this factor, targets waited alike. */
const alikeTimes = 1.5;

function starvedInWords(rows: Comparison['rows']): string {
  const runs = rows.flatMap((row) => row.runs.map(({ result }) => result));
  if (!runs.some(({ verdict }) => verdict.bounds?.some(({ rule }) => rule === targetStarved))) return '';
  const shares = rows.flatMap((row) => {
    const share = coreWaitShare(row.runs.map(({ result }) => result.environment));
    return share === null ? [] : [{ target: row.target, share }];
  });
  const values = shares.map(({ share }) => share);
  const how = Math.max(...values) <= Math.min(...values) * alikeTimes ? 'alike' : 'not alike';
  const each = shares.map(({ target, share }) => `${target} ${percentText(share)}`).join(', ');
  return `other programs held cores: of the core time that they wanted, targets waited for ${each} (${how})`;
}

/** `isTold` is true if the words before it state the stolen time. */
function excludedInWords({ targets, excludedEvenlyP }: Paired, isTold: boolean): string {
  const share = targets.length > 0 ? mean(targets.map(({ excludedShare }) => excludedShare)) : 0;
  if (share === 0) return 'no round excluded';
  const isEven = excludedEvenlyP === null || excludedEvenlyP >= evenFrom;
  const by = targets.map(({ target, excludedShare }) => `${target} ${percentText(excludedShare)}`);
  const how = isEven ? 'evenly' : `unevenly: ${by.join(', ')}`;
  return `${percentText(share)} of rounds excluded ${isTold ? 'for it' : 'for what the hypervisor took'}, ${how}`;
}

function controlInWords({ control, targets }: Paired): string {
  if (targets.every(({ twinOf }) => twinOf === null)) return 'No control: none of the servers can have a twin';
  return control ? `Control (${control.a} against its twin): ${ratioInWords(control)}` : 'No control: too few starts';
}

/** Returns the rows of targets without figures, with the reason of each. */
export function missing({ rows }: Pick<Comparison, 'rows'>, { targets }: Paired): [target: string, why: TextPiece][] {
  const measured = contenders({ targets }).filter(isMeasured);
  return rows.flatMap(({ target, state, why }): [string, TextPiece][] => {
    if (state === 'notAvailable') return [[target, toned.aside(`not available: ${why}`)]];
    if (state === 'failed') return [[target, toned.aside(`failed: ${why}`)]];
    return measured.some((each) => each.target === target) ? [] : [[target, toned.aside('not measured')]];
  });
}

const wideBracket = 0.05;

/** Builds the table of targets with figures, the fastest first, and its legend. Without claims it has no ratios. */
export function pairedTable(paired: Paired, scenario: Declaration) {
  const { pairs } = paired;
  const claims = claimsOf(paired);
  const median = medianColumn(scenario);
  const delivered = scenario.headline.find(({ kind }) => kind === 'share');
  const tail = paired.targets.find((each) => each.tail !== null)?.tail?.figure;
  const targets = contenders(paired).filter(isMeasured);
  const sorted = claims ? bySpeed({ targets, pairs }) : targets.map(({ target }) => target);
  const title = median?.title ?? 'p50';
  const rows = sorted.map((name) => {
    const target = targets.find((each) => each.target === name) as Paired['targets'][number];
    const pair = claims && pairOf(pairs, name, claims.reference);
    return [
      name,
      `${milliseconds(target.p50Us)}${bracketInWords(target)}`,
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
function hasBracket({ p50Us, p50AtLeastUs }: Paired['targets'][number]): boolean {
  return p50Us !== null && p50AtLeastUs !== null && p50Us - p50AtLeastUs > wideBracket * p50Us;
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
