import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { exitCodes } from '../src/contract/exit-codes.js';
import { thisTool } from '../src/contract/version.js';
import { columns } from '../src/render/words/table.js';
import { stampOf } from '../src/results/store.js';
import { ringsideProgram } from '../src/units/package-files.js';
import { jsonText } from '../src/units/text.js';
import { type CaseRow, cellsOf, head, markdown } from './bench/answers/tally.js';
import { idleRun } from './bench/idle.js';
import { lyingRig } from './bench/lying-rig.js';
import { measurePeers, peersTable } from './bench/peers/peers.js';
import { measureTruth, truthTable } from './bench/peers/truth.js';
import { benchFlags, madeInTurn, runScript, toStderr } from './bench/script.js';
import { ofAnswers, ofFlows, ofRig } from './bench/table.js';

/** Measures the rig itself and prints one table. Exits with 1 if a bound is broken. */
function rig(): Promise<void> {
  const options = z.strictObject(benchFlags(ofRig, 'smaller loads, for a first look'));
  return runScript('bench-rig', options, async ({ isQuick, only }, signal) => {
    const context = toStderr({ isQuick, signal });
    if (isQuick) context.say('quick: smaller loads; the bounds are meant for the full run');
    const { text, isKept } = await madeInTurn(ofRig, only, context);
    process.stdout.write(`${text}\n`);
    return isKept ? 0 : exitCodes.bug.code;
  });
}

/** Measures Ringside beside other WebSocket readers, in turn, and prints one table. Exits with 1 if one failed. */
function peers(): Promise<void> {
  const options = z.strictObject({
    isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'one round of smaller loads, for a first look' }),
    only: z.array(z.string()).default([]).meta({
      flag: 'only',
      placeholder: 'text',
      help: 'only peers and measurements whose name has this text; repeatable',
    }),
  });
  return runScript('bench-peers', options, async ({ isQuick, only }, signal) => {
    const isAsked = (name: string): boolean =>
      only.length === 0 || only.some((text) => name.toLowerCase().includes(text.toLowerCase()));
    const figures = await measurePeers(isAsked, isQuick, signal);
    if (figures.length > 0) process.stdout.write(`${peersTable(figures)}\n`);
    const truth = await measureTruth(isAsked, isQuick, signal);
    if (truth.length > 0) process.stdout.write(`${truthTable(truth)}\n`);
    const flows = ofFlows.filter(({ name }) => isAsked(name));
    const { text, isKept } = await madeInTurn(flows, [], toStderr({ isQuick, signal }));
    if (flows.length > 0) process.stdout.write(`${text}\n`);
    if (figures.length + truth.length + flows.length === 0) {
      process.stderr.write(`--only: expected a part of the name of a row, received ${only.join(' and ')}\n`);
      return exitCodes.input.code;
    }
    const hasFailed =
      figures.some(({ failures }) => failures.length > 0) || truth.some(({ failure }) => failure !== undefined);
    return isKept && !hasFailed ? 0 : exitCodes.bug.code;
  });
}

/** Tests the answers of the product, prints one table and keeps it. Exits with 1 if a bound is broken. */
function answers(): Promise<void> {
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
  return runScript('bench-answers', options, async ({ isQuick, only, times, results, markdown: file }, signal) => {
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
}

/** Runs the idle test of a fleet, which variables describe, with the flags that follow. */
async function idle(): Promise<void> {
  const run = idleRun(process.argv.slice(2), process.env);
  if (run.ok) {
    process.stderr.write(`ringside ${run.args.join(' ')}\n`);
    // The arguments name the target. `ringside` refuses TARGET beside an address.
    delete process.env.TARGET;
    process.argv.splice(2, Number.POSITIVE_INFINITY, ...run.args);
    await import(ringsideProgram);
    return;
  }
  for (const problem of run.problems) process.stderr.write(`error: ${problem}\n`);
  process.exitCode = exitCodes.input.code;
}

/** The benches by the first argument. */
const benches: Readonly<Record<string, () => Promise<void>>> = {
  ...{ rig, peers, answers, idle },
  'lying-rig': lyingRig,
};

const [named = ''] = process.argv.splice(2, 1);
const bench = benches[named];
if (bench === undefined) throw new Error(`expected one of ${Object.keys(benches).join(', ')}, received "${named}"`);
await bench();
