import type { Declaration, HeadlineColumn } from '../../measure/declaration.js';
import { overlappingIn } from '../../measure/paired/compare-starts.js';
import { targetStarved } from '../../measure/verdict/target-rules.js';
import { optionsOf } from '../../options/option.js';
import type { Comparison } from '../../results/comparison.js';
import { coreWaitShare } from '../../results/over-time/readings.js';
import type { KeptPairedRatio, Paired, WithheldReason } from '../../results/paired.js';
import { units } from '../../units/unit.js';
import { contenders, isMeasured } from './claims.js';

/** Joins names: `a, b and c`. */
export function all(names: readonly string[], last = 'and'): string {
  const [final = '', ...others] = names.toReversed();
  return others.length === 0 ? final : `${others.toReversed().join(', ')} ${last} ${final}`;
}

/** Formats a ratio with enough digits to differ from 1 and from 0: `1.42×`, `0.0021×`. */
export function times(ratio: number): string {
  return `${bare(ratio)}×`;
}

/** Returns true if an end of an interval is open, because medians did not arrive. */
export function isUnbounded(ratio: number): boolean {
  return ratio > 1e9;
}

function bare(ratio: number): string {
  if (isUnbounded(ratio)) return '∞';
  if (isUnbounded(1 / ratio)) return '0';
  if (ratio < 0.1) return ratio.toPrecision(2);
  const digits = ratio >= 100 ? 0 : ratio >= 10 ? 1 : ratio !== 1 && Math.abs(ratio - 1) < 0.005 ? 3 : 2;
  return ratio.toFixed(digits);
}

export function intervalText([low, high]: readonly [number, number]): string {
  return `[${bare(low)} – ${bare(high)}]`;
}

/** Formats a ratio with its interval, or a dash if a median did not arrive. */
export function ratioInWords({ ratio, interval }: Pick<KeptPairedRatio, 'ratio' | 'interval'>): string {
  return ratio === null || interval === null ? '–' : `${times(ratio)} ${intervalText(interval)}`;
}

/** Formats a share without needless digits: `5 %`, `0.5 %`. */
export function percentText(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

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

const whyWithheld = {
  tooFewStarts: 'too few starts',
  controlApart: 'the control differs from its twin',
} as const satisfies Record<WithheldReason, string>;

/** Returns the reason why no order is claimed, or an empty text if one is. */
export function withheldInWords({ withheld }: Pick<Paired, 'withheld'>): string {
  return withheld.map((reason) => whyWithheld[reason]).join('; ');
}

/** Describes the machine in a line: stolen time, rounds excluded for it, waits for cores, and the control. */
export function machineInWords({ rows }: Pick<Comparison, 'rows'>, paired: Paired): string {
  const taken = stolenInWords(paired);
  const waited = starvedInWords(rows);
  const parts = [taken, excludedInWords(paired, taken !== ''), overlapsInWords(paired), waited];
  const machine = parts.filter((each) => each !== '').join('; ');
  return `machine: ${machine}. ${controlInWords(paired)}`;
}

/** Counts the void rounds. Returns an empty text without any. */
function overlapsInWords({ starts }: Paired): string {
  const [of, all] = [
    starts.reduce((sum, start) => sum + overlappingIn(start).size, 0),
    starts.reduce((sum, [first]) => sum + (first?.p50Us.length ?? 0), 0),
  ];
  if (of === 0) return '';
  return `${of} of ${all} rounds void, as deliveries were still under way when the next slot began`;
}

/** Below this probability, rounds were not excluded evenly. */
const evenFrom = 0.01;

/** Returns the stolen share of the CPU, or an empty text if it is unknown. */
function stolenInWords({ targets }: Paired): string {
  const known = targets.flatMap(({ stolenShare }) => stolenShare ?? []);
  if (known.length === 0) return '';
  const share = known.reduce((sum, each) => sum + each, 0) / known.length;
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
  const mean = targets.reduce((sum, each) => sum + each.excludedShare, 0) / Math.max(1, targets.length);
  if (mean === 0) return 'no round excluded';
  const isEven = excludedEvenlyP === null || excludedEvenlyP >= evenFrom;
  const by = targets.map(({ target, excludedShare }) => `${target} ${percentText(excludedShare)}`);
  const how = isEven ? 'evenly' : `unevenly: ${by.join(', ')}`;
  return `${percentText(mean)} of rounds excluded ${isTold ? 'for it' : 'for what the hypervisor took'}, ${how}`;
}

function controlInWords({ control, targets }: Paired): string {
  if (targets.every(({ twinOf }) => twinOf === null)) return 'No control: none of the servers can have a twin';
  return control ? `Control (${control.a} against its twin): ${ratioInWords(control)}` : 'No control: too few starts';
}

/** Returns the rows of targets without figures, with the reason of each. */
export function missing({ rows }: Pick<Comparison, 'rows'>, paired: Paired): { target: string; why: string }[] {
  const measured = new Set(
    contenders(paired)
      .filter(isMeasured)
      .map(({ target }) => target),
  );
  return rows.flatMap(({ target, state, why }) => {
    if (state === 'notAvailable') return [{ target, why: `not available: ${why}` }];
    if (state === 'failed') return [{ target, why: `failed: ${why}` }];
    return measured.has(target) ? [] : [{ target, why: 'not measured' }];
  });
}
