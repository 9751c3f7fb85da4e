import type { Command } from 'commander';
import { addFlags } from '../../cli/options/flags.js';
import { oneDocument, printLines } from '../../cli/terminal/output.js';
import { columns } from '../../render/words/table.js';
import { keptIn } from '../../results/kept.js';
import { duration } from '../../units/duration.js';
import { gatherBeside, lengthInWords, readPlan } from './given.js';
import { readNewestBook } from './kept.js';
import { suiteOptions } from './options.js';
import { printBook, runSuite } from './run.js';
import { longestMs } from './schedule.js';

/** `ringside suite run FILE`, `suite check FILE` and `suite report DIRECTORY`. */
export function define(command: Command): void {
  const run = command.command('run').description('run a suite and print its scoreboards').exitOverride();
  run
    .argument('<file>', 'suite file, YAML or JSON')
    .option('--resume [directory]', 'continue this suite, or the newest incomplete one');
  addFlags(run, suiteOptions);
  run.action((path: string, { resume }: { resume?: string | true }) => runSuite(path, gatherBeside(run), resume));

  command
    .command('check')
    .description('show what a suite would run, and for how long')
    .exitOverride()
    .argument('<file>', 'suite file, YAML or JSON')
    .action(check);

  command
    .command('report')
    .description('print a kept suite in another form')
    .exitOverride()
    .argument('<directory>', 'a kept suite, or a directory with several')
    .option('--markdown', 'print Markdown')
    .option('--junit', 'print JUnit XML')
    .option('--json', 'print one JSON document')
    .action(report);
}

async function check(path: string): Promise<void> {
  const { text, planWith } = await readPlan(path, { flags: {}, env: {}, variables: process.env });
  const plan = planWith(text.file.seed ?? 0);
  const rows = plan.entries.map((entry) => [
    entry.name,
    entry.scenario.name,
    String(entry.repeat),
    duration.print(Math.ceil(longestMs([entry]) / 1000) * 1000),
    entry.plans.map(({ target }) => target.name).join(' '),
  ]);
  const head = ['entry', 'scenario', 'runs of each', 'at most', 'targets'];
  printLines(`${columns(head, rows, [0, 1, 4])}\n\n${lengthInWords(plan)}`);
}

async function report(path: string, given: { markdown?: true; junit?: true; json?: true }): Promise<void> {
  const { markdown: isMarkdown = false, junit: isJunit = false, json: isJson = false } = given;
  const form = { isJson, isMarkdown, isJunit };
  oneDocument(form);
  printBook(await readNewestBook(keptIn(path)), form);
}
