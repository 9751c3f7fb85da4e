import { z } from 'zod';
import { columns } from '../../render/words/table.js';
import { directoryOf } from '../../results/store.js';
import { formOptions } from '../../run/plan/run-options.js';
import { duration } from '../../units/unit.js';
import { type CommandGroup, oneDocument, plain } from '../command.js';
import { longestSuiteMs, readNewestBook } from './journal.js';
import { besideOf, lengthInWords, readPlan, suiteOptions } from './options.js';
import { formsOf, runSuite } from './run.js';

const file = { form: '<file>', help: 'suite file, YAML or JSON' };

const run = plain({
  summary: 'run a suite and print its scoreboards',
  arguments: [file],
  flags: z.strictObject({
    resume: z.string().optional().meta({
      flag: 'resume',
      placeholder: '[directory]',
      help: 'continue this suite, or the newest incomplete one',
    }),
  }),
  options: suiteOptions,
  run: (session, { args: [path = ''], own: { resume }, ...given }) => runSuite(session, path, besideOf(given), resume),
});

const check = plain({
  summary: 'show what a suite would run, and for how long',
  arguments: [file],
  async run(session, { args: [path = ''], env: variables }) {
    const { text, planWith } = await readPlan(path, { flags: {}, env: {}, variables });
    const plan = planWith(text.file.seed ?? 0);
    const rows = plan.entries.map((entry) => [
      entry.name,
      entry.scenario.name,
      String(entry.repeat),
      duration.print(Math.ceil(longestSuiteMs([entry]) / 1000) * 1000),
      entry.plans.map(({ target }) => target.name).join(' '),
    ]);
    const head = ['entry', 'scenario', 'runs of each', 'at most', 'targets'];
    session.printLines(`${columns(head, rows, [0, 1, 4])}\n\n${lengthInWords(plan)}`);
  },
});

const report = plain({
  summary: 'print a kept suite in another form',
  arguments: [{ form: '<directory>', help: 'a kept suite, or a directory with several' }],
  flags: formOptions,
  async run(session, { args: [path = ''], own: asked }) {
    oneDocument(asked);
    await session.printResult(asked, formsOf(await readNewestBook(directoryOf(path))));
  },
});

/** `ringside suite run FILE`, `suite check FILE` and `suite report DIRECTORY`. */
export const command: CommandGroup = { commands: { run, check, report } };
