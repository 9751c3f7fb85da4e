import { statementWords } from '../../../src/render/words/statement.js';
import { type Comparison, comparison } from '../../../src/results/comparison.js';
import { jsonIn } from '../../../src/units/text.js';
import type { BenchContext } from '../judge.js';
import { type Meanwhile, meanwhile } from '../processes/machine.js';
import { type ProgramEnd, ringside } from '../processes/program.js';

/** Describes the end and the answer of a comparison. The answer is undefined without a document or rounds. */
export interface Compared {
  exitCode: number | null;
  elapsedMs: number;
  paired: Comparison['paired'];
  rows: Comparison['rows'];
  machine: Meanwhile;
}

/** Describes a comparison on the command line. It is ended after its time limit. */
interface ComparisonOrder {
  bench: string;
  args: readonly string[];
  withinMs: number;
}

/** Runs a comparison, then shows and keeps its answer, with what `more` finds out. */
export async function compared(
  { bench, args, withinMs }: ComparisonOrder,
  context: BenchContext,
  more: (end: Compared) => Promise<object> | object = () => ({}),
): Promise<Compared> {
  const end = await comparedOnce(args, context, withinMs);
  const found = await more(end);
  const shown = Object.keys(found).length === 0 ? '' : `; ${JSON.stringify(found)}`;
  context.say(`${comparedLine(end)}${shown}`);
  context.note({ bench, ...found, ...entryOf(end) });
  return end;
}

/** Runs a comparison. */
export async function comparedOnce(
  args: readonly string[],
  { signal, directory }: Pick<BenchContext, 'signal' | 'directory'>,
  withinMs: number,
): Promise<Compared> {
  signal.throwIfAborted();
  const { value: ended, machine } = await meanwhile(
    () => ringside([...args, '--json', '--results', directory], signal, withinMs).ended,
  );
  signal.throwIfAborted();
  const { paired, rows } = documentIn(ended);
  return { exitCode: ended.exitCode, elapsedMs: ended.elapsedMs, paired, rows, machine };
}

function documentIn({ stdout, stderr, exitCode }: ProgramEnd): Pick<Comparison, 'paired' | 'rows'> {
  const read = comparison.safeParse(jsonIn(stdout));
  if (read.success) return read.data;
  // A refused comparison prints a document of problems.
  const said = stdout === '' ? stderr.split('\n').slice(-3).join('\n') : stdout;
  process.stderr.write(`no comparison (exit code ${exitCode}): ${said}\n`);
  return { paired: undefined, rows: [] };
}

function entryOf({ exitCode, elapsedMs, paired, machine }: Compared): Readonly<Record<string, unknown>> {
  const seconds = Math.round(elapsedMs / 100) / 10;
  if (!paired) return { exitCode, seconds, machine };
  const { ended, slotsMs, rounds, starts, targets, pairs: said, control, withheld } = paired;
  const pairs = said.map(({ a, b, ratio, interval, holds }) => {
    return { a, b, ratio, interval, conclusion: statementWords.differs[holds] };
  });
  const medians = targets.map(({ target, p50Us, p50AtLeastUs, excludedShare }) => {
    return { target, p50Us, p50AtLeastUs, excludedShare };
  });
  const of = { ended, slotsMs, rounds, starts: starts.length, medians };
  return { exitCode, seconds, machine, ...of, pairs, control, withheld };
}

function comparedLine({ exitCode, elapsedMs, paired, machine }: Compared): string {
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
