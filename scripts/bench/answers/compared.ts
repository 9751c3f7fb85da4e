import { coresBetween, readCores, stolenShare } from '../../../src/measure/rig/machine.js';
import { statementWords } from '../../../src/render/words/statement.js';
import { type Comparison, comparison } from '../../../src/results/comparison.js';
import { jsonIn } from '../../../src/units/text.js';
import type { BenchContext } from '../judge.js';
import { ringside } from '../processes/program.js';

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
