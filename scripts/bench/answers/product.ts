import { median } from 'simple-statistics';
import { exitCodes } from '../../../src/contract/exit-codes.js';
import { pairsOfRounds } from '../../../src/experiment/paired/rounds.js';
import { minStarts } from '../../../src/measure/paired/starts.js';
import { coresBetween, readCores, stolenShare } from '../../../src/measure/rig/machine.js';
import type { OpenReason } from '../../../src/measure/statement.js';
import { statementWords } from '../../../src/render/words/statement.js';
import { type Comparison, comparison } from '../../../src/results/comparison.js';
import type { Paired, PairedRounds } from '../../../src/results/paired.js';
import { pairedOptions } from '../../../src/run/plan/run-options.js';
import { jsonIn } from '../../../src/units/text.js';
import type { BenchContext } from '../judge.js';
import { ringside } from '../processes/program.js';
import type { Truth } from './tally.js';

/** The planned starts, and the difference within which two targets count as equal: the product's defaults. */
export const { starts: startsPlanned, equalWithin } = pairedOptions.parse({});

/** Names the reason why two targets are not distinguished, by the product's words on a pair or on the comparison. */
export type Reason = OpenReason | 'too few starts' | 'refused' | 'no answer';

/** Describes the product's statement on two targets. */
export interface PairStatement {
  a: string;
  b: string;
  /** Time of `a` divided by the time of `b`. Infinite or 0 if one median did not arrive, NaN if both did not. */
  ratio: number;
  /** The 95 % interval. Undefined if none is printed. */
  interval: readonly [low: number, high: number] | undefined;
  conclusion: 'apart' | 'equal' | 'open';
  /** Reason of an open statement. */
  reason?: Reason | undefined;
}

/** Describes the answer of one comparison. */
export interface ComparisonAnswer {
  statements: readonly PairStatement[];
  /** True if the control differs from its twin. Undefined without a control. */
  hasAlarm: boolean | undefined;
}

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

/** Maps the missing median of a pair to the ratio. */
const withoutMedian = { a: Number.POSITIVE_INFINITY, b: 0, both: Number.NaN } as const;

/** Describes the end of a `ringside compare`. A comparison that is refused before its load leaves no rows. */
interface End {
  exitCode: number | null;
  paired?: Pick<Paired, 'pairs' | 'control'> | undefined;
  rows: readonly unknown[];
}

/** Returns its answer, or the reason why it has none. */
export function saidBy({ exitCode, paired, rows }: End): { answer: ComparisonAnswer | undefined; lack?: Reason } {
  if (paired && paired.pairs.length > 0) return { answer: comparisonAnswer(paired) };
  if (paired) return { answer: undefined, lack: 'too few starts' };
  const isRefused = exitCode === exitCodes.input.code && rows.length === 0;
  return { answer: undefined, lack: isRefused ? 'refused' : 'no answer' };
}

/** Describes a simulated comparison: its targets, including the control, and the rounds of its starts. */
interface Played {
  /** Maximum number of starts. */
  planned: number;
  targets: readonly { target: string; twinOf: string | null }[];
  start(): PairedRounds[];
}

/** Makes one start after the other by the product's own rules. It ends as `PairedSeries` does. */
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

/** Returns the median of a round over all owed deliveries, by nearest rank. Infinite if it never arrived. */
export function owedMedian(cameUs: readonly number[], owed: number): number {
  return [...cameUs].sort((a, b) => a - b)[Math.ceil(owed / 2) - 1] ?? Number.POSITIVE_INFINITY;
}

/** Returns the median of all rounds of all starts, or NaN without any. */
export function usualUs(starts: readonly (readonly number[])[]): number {
  const rounds = starts.flat();
  return rounds.length === 0 ? Number.NaN : median(rounds);
}

/** Returns the true ratio of two targets by their records. Ways of up to `wayUs` move it towards 1. */
export function ratioByRecord(aUs: number, bUs: number, wayUs: number): Pick<Truth, 'low' | 'high'> {
  const ends = [aUs / bUs, Number.isFinite(aUs) && Number.isFinite(bUs) ? (aUs + wayUs) / (bUs + wayUs) : aUs / bUs];
  return { low: Math.min(...ends), high: Math.max(...ends) };
}

/** Returns the ratio range by single runs: any of `a` over any of `b`, widened by `slack` to both sides. */
export function ratioByRuns(a: readonly number[], b: readonly number[], slack: number): Pick<Truth, 'low' | 'high'> {
  return { low: Math.min(...a) / Math.max(...b) / slack, high: (Math.max(...a) / Math.min(...b)) * slack };
}

/** Describes the end and the answer of a comparison. The answer is undefined without a document or rounds. */
export interface Compared extends Pick<Comparison, 'paired' | 'rows'> {
  exitCode: number | null;
  elapsedMs: number;
}

/** Runs a comparison on the command line and shows its answer. It is ended after `withinMs`. */
export async function compared(
  args: readonly string[],
  { signal, directory, say }: Pick<BenchContext, 'signal' | 'directory' | 'say'>,
  withinMs: number,
): Promise<Compared> {
  signal.throwIfAborted();
  const before = readCores();
  const ended = await ringside([...args, '--json', '--results', directory], signal, withinMs).ended;
  const after = readCores();
  signal.throwIfAborted();
  const { exitCode, elapsedMs, stdout, stderr } = ended;
  const read = comparison.safeParse(jsonIn(stdout));
  // A refused comparison prints a document of problems.
  const refused = stdout === '' ? stderr.split('\n').slice(-3).join('\n') : stdout;
  const stolen = before && after ? stolenShare(coresBetween(before, after)) : undefined;
  const how = `${(elapsedMs / 1000).toFixed(0)} s, exit ${exitCode}`;
  const meanwhile = stolen === undefined ? '' : `, stolen ${(stolen * 100).toFixed(0)} %`;
  say(`  ${how}${meanwhile}; ${read.success ? answerIn(read.data) : refused}`);
  const { paired, rows } = read.success ? read.data : { paired: undefined, rows: [] };
  return { exitCode, elapsedMs, paired, rows };
}

function answerIn({ paired }: Comparison): string {
  if (paired === undefined) return 'single runs';
  const pairs = paired.pairs.map(({ a, b, ratio, interval, holds, because }) => {
    const ends = interval?.map((end) => end.toFixed(3)).join(' to ') ?? 'none';
    return `${a}/${b} ${ratio?.toFixed(3) ?? '–'} [${ends}] ${statementWords.differs[holds]} ${because ?? ''}`;
  });
  const withheld = paired.withheld.length > 0 ? [`withheld: ${paired.withheld.join(', ')}`] : [];
  return [`${paired.starts.length} starts × ${paired.rounds}`, ...pairs, ...withheld].join('; ');
}
