import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { resolveOrRefuse } from '../../contract/refusal.js';
import { figureByName, figureForms } from '../../results/figures.js';
import { readRun } from '../../results/kept.js';
import { runFile } from '../../results/result.js';
import { scenarioByName, scenarios } from '../../run/catalog.js';
import { fleetOptions } from '../../run/plan/run-options.js';
import { plain, type Session } from '../command.js';
import type { KeptRun } from '../compare/assemble.js';
import { type History, history as historySchema } from './history.js';
import { historyOf } from './history-of.js';
import { historyCsv, renderHistory } from './print.js';

/** The option by which runs are kept, with its flag and its environment variable. */
const place = fleetOptions.pick({ resultsDir: true });

const flags = z.strictObject({
  target: z.string().optional().meta({ flag: 'target', placeholder: 'name', help: 'only runs of this target' }),
  scenario: z.string().optional().meta({ flag: 'scenario', placeholder: 'name', help: 'only runs of this scenario' }),
  isJson: z.boolean().default(false).meta({ flag: 'json', help: 'print one JSON document' }),
  isCsv: z.boolean().default(false).meta({ flag: 'csv', help: 'print CSV, a row for each run, times in microseconds' }),
});

type Given = z.output<typeof flags>;

/** `ringside history METRIC`: a figure over all kept runs under a directory, a line for each target and shape. */
export const command = plain({
  arguments: [
    { form: '<metric>', help: 'as in thresholds: delivery.p99, lost, delivered% for the share, or footprint' },
  ],
  options: place,
  flags,
  async run(session, { args: [metric = ''], own: given, ...rest }) {
    check(metric, given);
    const { resultsDir } = resolveOrRefuse(place, rest);
    const { runs, unreadable } = await readRuns(resultsDir);
    const chosen = runs.filter(
      ({ result }) =>
        (given.target === undefined || result.target.name === given.target) &&
        (given.scenario === undefined || result.scenario === given.scenario),
    );
    const found = historySchema.parse(historyOf(metric, chosen, unreadable));
    tell(session, found);
    if (found.lines.length === 0)
      throw new ProblemError([
        problem('notFound', `no run of ${runs.length} under ${resultsDir} has ${metric}${chosenBy(given)}`, foundHint),
      ]);
    if (given.isCsv) session.print(historyCsv(found));
    else session.printResult(given, { document: found, text: (style) => renderHistory(found, style) });
  },
});

const foundHint = 'Make runs first, or name the directory with --results.';

function check(metric: string, { scenario, isJson, isCsv }: Given): void {
  const named = scenario === undefined ? undefined : scenarioByName(scenario);
  const among = named ? [named] : scenarios;
  const problems = [
    ...(scenario !== undefined && !named
      ? [
          problem(
            'unknownName',
            `--scenario: expected one of ${scenarios.map(({ name }) => name).join(', ')}, received ${scenario}`,
          ),
        ]
      : []),
    ...(among.every((each) => figureByName(metric, each) === undefined)
      ? [problem('badOption', `metric: expected ${forms(among)}, received ${metric}`)]
      : []),
    ...(isJson && isCsv ? [problem('badOption', '--csv: expected --json or --csv, received both')] : []),
  ];
  if (problems.length > 0) throw new ProblemError(problems);
}

function forms([first, ...others]: typeof scenarios): string {
  if (first && others.length === 0) return figureForms(first);
  return 'METRIC.FIGURE, a count, a share% or footprint of a scenario (--scenario NAME tells those that it has)';
}

function chosenBy({ target, scenario }: Given): string {
  return [
    ...(target === undefined ? [] : [` of target ${target}`]),
    ...(scenario === undefined ? [] : [` of scenario ${scenario}`]),
  ].join('');
}

/** Every run below a directory, those of comparisons included; what can't be read is named and passed over. */
async function readRuns(directory: string): Promise<{ runs: KeptRun[]; unreadable: History['unreadable'] }> {
  const runs: KeptRun[] = [];
  const unreadable: History['unreadable'] = [];
  for (const file of await runFilesIn(directory)) {
    const own = dirname(file);
    try {
      runs.push({ directory: own, result: await readRun(own) });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const [first, ...others] = error.problems.map(({ message }) => message);
      unreadable.push({ file, why: `${first}${others.length > 0 ? ` (and ${others.length} more)` : ''}` });
    }
  }
  return { runs, unreadable };
}

async function runFilesIn(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { recursive: true });
    return entries
      .filter((path) => basename(path) === runFile)
      .sort()
      .map((path) => join(directory, path));
  } catch (error) {
    throw new ProblemError([
      problem('badOption', `--results: expected a directory, received ${directory} (${(error as Error).message})`),
    ]);
  }
}

/** What has no place in the lines is said on stderr. */
function tell({ note }: Session, { metric, without, unreadable }: History): void {
  for (const { why } of unreadable) note(`can't be read: ${why}`);
  for (const [scenario, runs] of Object.entries(without))
    note(`${runs} run${runs === 1 ? '' : 's'} of ${scenario}, which has no ${metric}`);
}
