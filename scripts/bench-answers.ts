import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { exitCodes } from '../src/contract/exit-codes.js';
import { thisTool } from '../src/contract/version.js';
import { columns } from '../src/render/words/table.js';
import { stampOf } from '../src/results/store.js';
import { jsonText } from '../src/units/text.js';
import { type CaseRow, cellsOf, head, markdown } from './bench/answers/tally.js';
import { benchFlags, madeInTurn, runScript } from './bench/script.js';
import { ofAnswers } from './bench/table.js';

const options = z.strictObject({
  ...benchFlags(ofAnswers, 'few and small repeats, for a first look'),
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
await runScript('bench-answers', options, async ({ isQuick, only, times, results, markdown: file }, signal) => {
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  if (isQuick) say('quick: few and small repeats; the bounds are meant for the full run');
  const startedAt = new Date().toISOString();
  const directory = join(results, `${stampOf(startedAt)}-answers`);
  mkdirSync(directory, { recursive: true });
  const rows: CaseRow[] = [];
  const row = (each: CaseRow) => {
    rows.push(each);
    say(`  ${cellsOf(each).join(' | ')}`);
  };
  const machine = { cores: cpus().length, cpu: cpus()[0]?.model };
  const keep = (text: string): void => {
    const document = { tool: thisTool, startedAt, machine, isQuick, table: text.split('\n'), rows };
    writeFileSync(join(directory, 'answers.json'), jsonText(document));
  };
  const context = { isQuick, times, directory, signal, say, row };
  const { text, isKept } = await madeInTurn(ofAnswers, only, context, keep);
  if (rows.length > 0) process.stdout.write(`${columns(head, rows.map(cellsOf), [0, 1, 7])}\n\n`);
  process.stdout.write(`${text}\n`);
  if (file !== undefined) writeFileSync(file, markdown(rows, startedAt, `${machine.cpu}, ${machine.cores} cores`));
  say(`kept in ${directory}`);
  return isKept ? 0 : exitCodes.bug.code;
});
