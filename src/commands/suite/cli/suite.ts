import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { addFlags } from '../../../cli/options/flags.js';
import { printLines } from '../../../cli/terminal/output.js';
import { ProblemError, problem } from '../../../contract/problems.js';
import { columns } from '../../../render/words/table.js';
import { directoryOf } from '../../../results/store.js';
import { duration } from '../../../units/duration.js';
import { renderSuiteIssue } from '../print/markdown.js';
import { longestMs } from '../schedule.js';
import { suiteOptions } from '../suite-options.js';
import { readBook, readSuiteResult } from './kept.js';
import { gatherBeside, lengthInWords, readPlan } from './plan.js';
import { printBook } from './print.js';
import { runSuite } from './run.js';

/** `ringside suite run FILE`, `suite check FILE` and `suite report DIRECTORY`. */
export function define(command: Command): void {
  const run = command.command('run').description('make every run of a suite, and print one scoreboard').exitOverride();
  run
    .argument('<file>', 'the suite, YAML or JSON: `ringside schema suite`')
    .option(
      '--resume [directory]',
      'go on with one that was interrupted: the newest of this suite that is not complete, or this one',
    );
  addFlags(run, suiteOptions);
  run.action((path: string, { resume }: { resume?: string | true }) => runSuite(path, gatherBeside(run), resume));

  command
    .command('check')
    .description('say what a suite would run, and for how long')
    .exitOverride()
    .argument('<file>', 'the suite')
    .action(check);

  command
    .command('report')
    .description('print a kept suite in another form')
    .exitOverride()
    .argument('<directory>', 'of a kept suite, or where the newest of several lies')
    .option('--markdown', 'print Markdown')
    .option('--junit', 'print JUnit XML')
    .option('--json', 'print one JSON document')
    .option('--issue <file>', 'write the text of an issue there, if something was worse twice in a row')
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

interface ReportFlags {
  markdown?: boolean;
  junit?: boolean;
  json?: boolean;
  issue?: string;
}

async function report(
  path: string,
  { markdown: isMarkdown = false, junit: isJunit = false, json: isJson = false, issue }: ReportFlags,
): Promise<void> {
  if ([isMarkdown, isJunit, isJson].filter((each) => each).length > 1)
    throw new ProblemError([problem('badOption', 'expected one of --markdown, --junit and --json, received several')]);
  const { suite, directory } = await readSuiteResult(directoryOf(path));
  const book = await readBook(suite, directory);
  printBook(book, { isJson, isMarkdown, isJunit });
  const text = issue === undefined ? undefined : renderSuiteIssue(book);
  if (issue !== undefined && text !== undefined) await writeFile(issue, text);
}
