import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { ExitName } from '../src/contract/exit-codes.js';
import { thisTool } from '../src/contract/version.js';
import { columns } from '../src/render/words/table.js';
import { stampOf } from '../src/results/store.js';
import { jsonText } from '../src/units/text.js';
import type { AnswerBench, AnswerContext } from './bench-answers/bench.js';
import { againstItself } from './bench-answers/benches/against-itself.js';
import { bracket } from './bench-answers/benches/bracket.js';
import { caseBenches } from './bench-answers/benches/cases.js';
import { defaultComparison } from './bench-answers/benches/default-comparison.js';
import { frozenRig } from './bench-answers/benches/frozen-rig.js';
import { metronomes } from './bench-answers/benches/metronomes.js';
import { simulation } from './bench-answers/benches/simulation.js';
import { subscribersBench } from './bench-answers/benches/subscribers.js';
import { type CaseRow, cellsOf, head, markdown } from './bench-answers/tally.js';
import { judgeBenches, type Outcome, outcomeOf } from './bench-rig/bench.js';
import { runScript } from './script/run-script.js';

const benches: readonly AnswerBench[] = [
  ...[defaultComparison, againstItself, metronomes, frozenRig, bracket],
  ...[simulation, ...caseBenches, subscribersBench],
];
const names = benches.map(({ name }) => name);

const options = z.strictObject({
  isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'few and small repeats, for a first look' }),
  only: z
    .array(z.string().refine((name) => names.includes(name), `expected one of ${names.join(', ')}`))
    .default([])
    .meta({ flag: 'only', placeholder: names.join('|'), help: 'run this bench only; repeatable' }),
  times: z.int().min(1).max(10_000).optional().meta({ flag: 'times', unit: 'count', help: 'repeats of each bench' }),
  results: z
    .string()
    .default('results')
    .meta({ flag: 'results', placeholder: 'directory', help: 'where the outcome and all that is measured is kept' }),
  markdown: z
    .string()
    .optional()
    .meta({ flag: 'markdown', placeholder: 'file', help: 'write the table of cases there, for docs/method.md' }),
});

/** Tests the answers of the product, prints one table and keeps it. Exits with 1 if a bound is broken. */
async function benchAnswers(
  { isQuick, only, times, results, markdown: file }: z.output<typeof options>,
  signal: AbortSignal,
): Promise<ExitName> {
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  if (isQuick) say('quick: few and small repeats; the bounds are meant for the full run');
  const startedAt = new Date().toISOString();
  const directory = join(results, `${stampOf(startedAt)}-answers`);
  mkdirSync(directory, { recursive: true });
  const notes: unknown[] = [];
  const note = (entry: object) => void notes.push({ at: new Date().toISOString(), load: loadavg()[0], ...entry });
  const rows: CaseRow[] = [];
  const row = (each: CaseRow) => {
    rows.push(each);
    say(`  ${cellsOf(each).join(' | ')}`);
  };
  const context: AnswerContext = { isQuick, times, directory, signal, say, note, row };
  const machine = { cores: cpus().length, cpu: cpus()[0]?.model };
  const outcomes: Outcome[] = [];
  let judged = judgeBenches(outcomes);
  for (const bench of benches.filter(({ name }) => only.length === 0 || only.includes(name))) {
    if (signal.aborted) break;
    outcomes.push(await outcomeOf(bench, context));
    judged = judgeBenches(outcomes);
    const table = judged.text.split('\n');
    const document = { tool: thisTool, startedAt, machine, isQuick, table, rows, notes };
    writeFileSync(join(directory, 'answers.json'), jsonText(document));
  }
  if (rows.length > 0) process.stdout.write(`${columns(head, rows.map(cellsOf), [0, 1, 7])}\n\n`);
  process.stdout.write(`${judged.text}\n`);
  if (file !== undefined) writeFileSync(file, markdown(rows, startedAt, `${machine.cpu}, ${machine.cores} cores`));
  say(`kept in ${directory}`);
  return judged.isKept ? 'clean' : 'bug';
}

await runScript('bench-answers', options, benchAnswers);
