import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { columns } from '../../../render/words/table.js';
import { keptIn } from '../../../results/kept.js';
import { duration } from '../../../units/duration.js';
import { type CommandGroup, oneDocument, plain, type Session } from '../../command.js';
import { renderSuiteIssue } from '../print/markdown.js';
import { longestMs } from '../schedule.js';
import { suiteOptions } from '../suite-options.js';
import { readBook, readSuiteResult } from './kept.js';
import { besideOf, lengthInWords, readPlan } from './plan.js';
import { formsOf } from './print.js';
import { runSuite } from './run.js';

const run = plain({
  summary: 'make every run of a suite, and print one scoreboard',
  arguments: [{ form: '<file>', help: 'the suite, YAML or JSON: `ringside schema suite`' }],
  flags: z.strictObject({
    resume: z.string().optional().meta({
      flag: 'resume',
      placeholder: '[directory]',
      help: 'go on with one that was interrupted: the newest of this suite that is not complete, or this one',
    }),
  }),
  options: suiteOptions,
  run: (session, { args: [path = ''], own: { resume }, ...given }) =>
    runSuite(session, path, besideOf(given), resume === '' ? true : resume),
});

const check = plain({
  summary: 'say what a suite would run, and for how long',
  arguments: [{ form: '<file>', help: 'the suite' }],
  run: async (session, { args: [path = ''], env }) => checkSuite(session, path, env),
});

const report = plain({
  summary: 'print a kept suite in another form',
  arguments: [{ form: '<directory>', help: 'of a kept suite, or where the newest of several lies' }],
  flags: z.strictObject({
    isMarkdown: z.boolean().default(false).meta({ flag: 'markdown', help: 'print Markdown' }),
    isJunit: z.boolean().default(false).meta({ flag: 'junit', help: 'print JUnit XML' }),
    isJson: z.boolean().default(false).meta({ flag: 'json', help: 'print one JSON document' }),
    issue: z.string().optional().meta({
      flag: 'issue',
      placeholder: 'file',
      help: 'write the text of an issue there, if something was worse twice in a row',
    }),
  }),
  async run(session, { args: [path = ''], own: { issue, ...asked } }) {
    oneDocument(asked);
    const { suite, directory } = await readSuiteResult(keptIn(path));
    const book = await readBook(suite, directory);
    session.printResult(asked, formsOf(book));
    const text = issue === undefined ? undefined : renderSuiteIssue(book);
    if (issue !== undefined && text !== undefined) await writeFile(issue, text);
  },
});

/** `ringside suite run FILE`, `suite check FILE` and `suite report DIRECTORY`. */
export const command: CommandGroup = { commands: { run, check, report } };

async function checkSuite(
  session: Session,
  path: string,
  variables: Record<string, string | undefined>,
): Promise<void> {
  const { text, planWith } = await readPlan(path, { flags: {}, env: {}, variables });
  const plan = planWith(text.file.seed ?? 0);
  const rows = plan.entries.map((entry) => [
    entry.name,
    entry.scenario.name,
    String(entry.repeat),
    duration.print(Math.ceil(longestMs([entry]) / 1000) * 1000),
    entry.plans.map(({ target }) => target.name).join(' '),
  ]);
  const head = ['entry', 'scenario', 'runs of each', 'at most', 'targets'];
  session.printLines(`${columns(head, rows, [0, 1, 4])}\n\n${lengthInWords(plan)}`);
}
