import { pairsOfRounds } from '../../src/commands/compare/pairs.js';
import { exitCodes } from '../../src/contract/exit-codes.js';
import { minStarts } from '../../src/measure/paired/starts.js';
import type { Paired, PairedRatio, PairedRounds } from '../../src/results/paired.js';
import { pairedOptions } from '../../src/run/plan/run-options.js';

/** How many starts a comparison plans, and within which difference two targets count as equal: the defaults. */
export const { starts: startsPlanned, equalWithin } = pairedOptions.parse({});

/** Why two targets are not told apart. The last two are of whole comparisons: refused, or ended without an answer. */
export type Reason = 'chance' | 'rig' | 'control' | 'too few starts' | 'refused' | 'no answer';

/** What the product says of two targets. */
export interface Statement {
  a: string;
  b: string;
  /** How many times as long `a` takes as `b`. */
  ratio: number;
  /** 95 %; undefined where none is printed. */
  interval: readonly [low: number, high: number] | undefined;
  conclusion: 'apart' | 'equal' | 'open';
  /** Of an open one. */
  reason?: Reason;
}

/** What one comparison answers. */
export interface Answer {
  statements: readonly Statement[];
  /** Whether the control differs from its twin; undefined without a control. */
  hasAlarm: boolean | undefined;
}

/** What a paired comparison answers. A withheld order claims nothing of any pair. */
export function answerOf({ pairs, control, withheld }: Pick<Paired, 'pairs' | 'control' | 'withheld'>): Answer {
  const [whole] = withheld;
  const of = (pair: PairedRatio): Statement => {
    const { a, b, ratio, interval, conclusion } = pair;
    if (whole) {
      const reason = whole === 'controlApart' ? 'control' : 'too few starts';
      return { a, b, ratio, interval, conclusion: 'open', reason };
    }
    return { a, b, ratio, interval, conclusion, ...(conclusion === 'open' && { reason: whyOpen(pair) }) };
  };
  return { statements: pairs.map(of), hasAlarm: control ? control.conclusion === 'apart' : undefined };
}

/** Chance leaves both orders possible. Where it does not, the product holds the order back for the rig's sake. */
function whyOpen({ joint: [low, high] }: PairedRatio): Reason {
  return low > 1 || high < 1 ? 'rig' : 'chance';
}

/** How a `ringside compare` ended. One that is refused before its load leaves no rows. */
interface End {
  exitCode: number | null;
  paired?: Pick<Paired, 'pairs' | 'control' | 'withheld'> | undefined;
  rows: readonly unknown[];
}

/** What it answers, or why it has no answer. */
export function saidBy({ exitCode, paired, rows }: End): { answer: Answer | undefined; lack?: Reason } {
  if (paired && paired.pairs.length > 0) return { answer: answerOf(paired) };
  if (paired) return { answer: undefined, lack: 'too few starts' };
  const isRefused = exitCode === exitCodes.input.code && rows.length === 0;
  return { answer: undefined, lack: isRefused ? 'refused' : 'no answer' };
}

/** A comparison that is played: its targets, the control among them, and the rounds of its starts. */
export interface Played {
  targets: readonly { target: string; twinOf: string | null }[];
  /** The rounds of one more start, by target. */
  start(): PairedRounds[];
}

/**
 * Makes one start after the other and asks the product's own rules after each. It ends as `PairedSeries.#starts` in
 * `src/commands/compare/paired-series.ts` does.
 */
export function play({ targets, start }: Played): Answer {
  const starts: PairedRounds[][] = [];
  const ask = (ended: Paired['ended']) =>
    pairsOfRounds({ targets, starts, crowd: null, equalWithin, startsPlanned, ended }, { drainMs: 5000 });
  while (starts.length < startsPlanned) {
    starts.push(start());
    if (starts.length < minStarts) continue;
    const said = ask('decided');
    const isDecided = said.pairs.every(({ conclusion }) => conclusion !== 'open');
    if ((said.control ?? said.pairs[0]) && isDecided) return answerOf(said);
  }
  return answerOf(ask('starts'));
}
