import { median } from 'simple-statistics';
import { exitCodes } from '../../src/contract/exit-codes.js';
import { pairsOfRounds } from '../../src/experiment/paired/pairs.js';
import { minStarts } from '../../src/measure/paired/starts.js';
import type { OpenReason } from '../../src/measure/statement.js';
import { statementWords } from '../../src/render/words/statement.js';
import type { Paired, PairedRounds } from '../../src/results/paired.js';
import { pairedOptions } from '../../src/run/plan/run-options.js';
import type { Truth } from './tally.js';

/** How many starts a comparison plans, and within which difference two targets count as equal: the defaults. */
export const { starts: startsPlanned, equalWithin } = pairedOptions.parse({});

/** Why two targets are not told apart: as the product says of a pair, or of a comparison that has none. */
export type Reason = OpenReason | 'too few starts' | 'refused' | 'no answer';

/** What the product says of two targets. */
export interface PairStatement {
  a: string;
  b: string;
  /** How many times as long `a` takes as `b`: infinite or 0 where a median did not arrive, NaN if both did not. */
  ratio: number;
  /** 95 %; undefined where none is printed. */
  interval: readonly [low: number, high: number] | undefined;
  conclusion: 'apart' | 'equal' | 'open';
  /** Of an open one. */
  reason?: Reason | undefined;
}

/** What one comparison answers. */
export interface ComparisonAnswer {
  statements: readonly PairStatement[];
  /** Whether the control differs from its twin; undefined without a control. */
  hasAlarm: boolean | undefined;
}

/** What a paired comparison answers. */
export function comparisonAnswer({ pairs, control }: Pick<Paired, 'pairs' | 'control'>): ComparisonAnswer {
  return {
    statements: pairs.map(({ a, b, ratio, missing, interval, holds, because }) => ({
      ...{
        a,
        b,
        conclusion: statementWords.differs[holds],
        reason: because ?? undefined,
        interval: interval ?? undefined,
      },
      ratio: ratio ?? withoutMedian[missing ?? 'both'],
    })),
    hasAlarm: control ? control.holds === 'yes' : undefined,
  };
}

/** The ratio of a pair by whose median did not arrive. */
const withoutMedian = { a: Number.POSITIVE_INFINITY, b: 0, both: Number.NaN } as const;

/** How a `ringside compare` ended. One that is refused before its load leaves no rows. */
interface End {
  exitCode: number | null;
  paired?: Pick<Paired, 'pairs' | 'control'> | undefined;
  rows: readonly unknown[];
}

/** What it answers, or why it has no answer. */
export function saidBy({ exitCode, paired, rows }: End): { answer: ComparisonAnswer | undefined; lack?: Reason } {
  if (paired && paired.pairs.length > 0) return { answer: comparisonAnswer(paired) };
  if (paired) return { answer: undefined, lack: 'too few starts' };
  const isRefused = exitCode === exitCodes.input.code && rows.length === 0;
  return { answer: undefined, lack: isRefused ? 'refused' : 'no answer' };
}

/** A comparison that is played: its targets, the control among them, and the rounds of its starts. */
export interface Played {
  /** Starts at most. */
  planned: number;
  targets: readonly { target: string; twinOf: string | null }[];
  /** The rounds of one more start, by target. */
  start(): PairedRounds[];
}

/**
 * Makes one start after the other and asks the product's own rules after each. It ends as `PairedSeries.#isDecided` in
 * `src/experiment/paired/series.ts` says.
 */
export function play({ planned, targets, start }: Played): ComparisonAnswer {
  const starts: PairedRounds[][] = [];
  const ask = (ended: Paired['ended']) =>
    pairsOfRounds({ targets, starts, crowd: null, equalWithin, startsPlanned: planned, ended });
  while (starts.length < planned) {
    starts.push(start());
    if (starts.length < minStarts) continue;
    const said = ask('decided');
    const isDecided = said.control?.holds !== 'yes' && (said.control ?? said.pairs[0]) !== undefined;
    if (isDecided && said.pairs.every(({ holds }) => holds !== 'open')) return comparisonAnswer(said);
  }
  return comparisonAnswer(ask('starts'));
}

/** The median of a round over all that were owed, by nearest rank; infinite if it is among those that never came. */
export function owedMedian(cameUs: readonly number[], owed: number): number {
  return [...cameUs].sort((a, b) => a - b)[Math.ceil(owed / 2) - 1] ?? Number.POSITIVE_INFINITY;
}

/** The median of all rounds of all starts; NaN without any. */
export function usualUs(starts: readonly (readonly number[])[]): number {
  const rounds = starts.flat();
  return rounds.length === 0 ? Number.NaN : median(rounds);
}

/**
 * The true ratio of two targets by what they did. What the way to them and back takes lies in both of their figures,
 * and draws the ratio towards 1: up to `wayUs` each.
 */
export function ratioByRecord(aUs: number, bUs: number, wayUs: number): Pick<Truth, 'low' | 'high'> {
  const ends = [aUs / bUs, Number.isFinite(aUs) && Number.isFinite(bUs) ? (aUs + wayUs) / (bUs + wayUs) : aUs / bUs];
  return { low: Math.min(...ends), high: Math.max(...ends) };
}

/** The ratio by single runs of both: any of `a` over any of `b`, and `slack` times more or less by the next runs. */
export function ratioByRuns(a: readonly number[], b: readonly number[], slack: number): Pick<Truth, 'low' | 'high'> {
  return { low: Math.min(...a) / Math.max(...b) / slack, high: (Math.max(...a) / Math.min(...b)) * slack };
}
