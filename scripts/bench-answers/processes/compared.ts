import { statementWords } from '../../../src/render/words/statement.js';
import { type Comparison, comparison } from '../../../src/results/comparison.js';
import { jsonIn } from '../../../src/units/text.js';
import { type CliEnd, CliProcess } from '../../bench-rig/processes/cli-process.js';
import type { AnswerContext } from '../bench.js';
import { type Meanwhile, meanwhile } from './burner.js';

/** Describes the end and the answer of a comparison. The answer is undefined without a document or rounds. */
export interface Compared {
  exitCode: number | null;
  elapsedMs: number;
  paired: Comparison['paired'];
  rows: Comparison['rows'];
  machine: Meanwhile;
}

/** Runs a comparison on the command line. It is ended after its time limit. */
export async function compared(
  args: readonly string[],
  { signal, directory }: Pick<AnswerContext, 'signal' | 'directory'>,
  withinMs: number,
): Promise<Compared> {
  signal.throwIfAborted();
  const { value: ended, machine } = await meanwhile(
    () => new CliProcess([...args, '--json', '--results', directory], signal, withinMs).ended,
  );
  signal.throwIfAborted();
  const { paired, rows } = documentIn(ended);
  return { exitCode: ended.exitCode, elapsedMs: ended.elapsedMs, paired, rows, machine };
}

function documentIn({ stdout, stderr, exitCode }: CliEnd): Pick<Comparison, 'paired' | 'rows'> {
  const read = comparison.safeParse(jsonIn(stdout));
  if (read.success) return read.data;
  // A refused comparison prints a document of problems.
  const said = stdout === '' ? stderr.split('\n').slice(-3).join('\n') : stdout;
  process.stderr.write(`no comparison (exit code ${exitCode}): ${said}\n`);
  return { paired: undefined, rows: [] };
}

/** Returns the values that are kept of one comparison. */
export function entryOf({ exitCode, elapsedMs, paired, machine }: Compared): Readonly<Record<string, unknown>> {
  const seconds = Math.round(elapsedMs / 100) / 10;
  if (!paired) return { exitCode, seconds, machine };
  const { ended, slotsMs, rounds, starts, targets, pairs, control, withheld } = paired;
  const of = { ended, slotsMs, rounds, starts: starts.length };
  const ratios = pairs.map(({ a, b, ratio, interval, holds }) => ({
    a,
    b,
    ratio,
    interval,
    conclusion: statementWords.differs[holds],
  }));
  const medians = targets.map(({ target, p50Us, p50AtLeastUs, excludedShare }) => {
    return { target, p50Us, p50AtLeastUs, excludedShare };
  });
  return { exitCode, seconds, machine, ...of, medians, pairs: ratios, control, withheld };
}

/** Formats one line for the terminal. */
export function comparedLine({ exitCode, elapsedMs, paired, machine }: Compared): string {
  const pairs = paired?.pairs.map(({ a, b, ratio, interval, holds, because }) => {
    const [low, high] = (interval ?? [Number.NaN, Number.NaN]).map((end) => end.toFixed(3));
    const said = `${statementWords.differs[holds]} ${because ?? ''}`;
    return `${a}/${b} ${ratio?.toFixed(3) ?? '–'} [${low} to ${high}] ${said}`;
  });
  const stolen = machine.stolen === undefined ? '' : `, stolen ${(machine.stolen * 100).toFixed(0)} %`;
  const withheld = paired && paired.withheld.length > 0 ? `; withheld: ${paired.withheld.join(', ')}` : '';
  const shape = paired
    ? `${paired.starts.length} starts × ${paired.rounds}, slots of ${paired.slotsMs.join(', ')} ms; `
    : '';
  const said = `${shape}${(pairs ?? ['nothing']).join('; ')}${withheld}`;
  return `  ${(elapsedMs / 1000).toFixed(0)} s, exit ${exitCode}${stolen}; ${said}`;
}
