import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { resolveOrRefuse } from '../../contract/refusal.js';
import { figureByName, figureForms } from '../../results/figures.js';
import { isInTurn } from '../../results/fingerprint.js';
import { runFile } from '../../results/result.js';
import { scenarioByName, scenarios } from '../../run/catalog.js';
import { readRun } from '../../run/kept.js';
import { fleetOptions, switchOf } from '../../run/plan/run-options.js';
import { plural } from '../../units/words.js';
import { formFlags, plain, type Session } from '../command.js';
import type { KeptRun } from '../compare/assemble.js';
import { type History, historyOf, history as historySchema } from './history.js';
import { historyCsv, renderHistory } from './print.js';

const place = fleetOptions.pick({ resultsDir: true });

const flags = z.strictObject({
  target: z.string().optional().meta({ flag: 'target', placeholder: 'name', help: 'only runs of this target' }),
  scenario: z.string().optional().meta({ flag: 'scenario', placeholder: 'name', help: 'only runs of this scenario' }),
  isJson: formFlags.isJson,
  isCsv: switchOf('csv', 'print CSV: a row per run, times in microseconds'),
});

type Given = z.output<typeof flags>;

/** `ringside history METRIC`: a figure over all kept runs under a directory, a line for each target and shape. */
export const command = plain({
  arguments: [{ form: '<metric>', help: 'as in thresholds: delivery.p99, lost, delivered%, footprint' }],
  options: place,
  flags,
  async run(session, { args: [metric = ''], own: given, ...rest }) {
    check(metric, given);
    const { resultsDir } = resolveOrRefuse(place, rest);
    const { runs, unreadable } = await readRuns(resultsDir);
    const inTurn = runs.filter(({ result }) => isInTurn(result.shape)).length;
    if (inTurn > 0) session.note(`${inTurn} runs of paired comparisons, left out: \`ringside show\` prints those`);
    const chosen = runs.filter(
      ({ result }) =>
        !isInTurn(result.shape) &&
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

const foundHint = 'Make runs first, or name their directory with --results.';

function check(metric: string, { scenario, isJson, isCsv }: Given): void {
  const named = scenario === undefined ? undefined : scenarioByName(scenario);
  const among = named ? [named] : scenarios;
  const problems: Problem[] = [];
  if (scenario !== undefined && !named) {
    const names = scenarios.map(({ name }) => name).join(', ');
    problems.push(problem('unknownName', `--scenario: expected one of ${names}, received ${scenario}`));
  }
  if (among.every((each) => figureByName(metric, each) === undefined)) {
    const any = 'METRIC.FIGURE, a count, a share% or footprint of a scenario (--scenario NAME lists its own)';
    const forms = named ? figureForms(named) : any;
    problems.push(problem('badOption', `metric: expected ${forms}, received ${metric}`));
  }
  if (isJson && isCsv) problems.push(problem('badOption', '--csv: expected --json or --csv, received both'));
  if (problems.length > 0) throw new ProblemError(problems);
}

function chosenBy({ target, scenario }: Given): string {
  const ofTarget = target === undefined ? '' : ` of target ${target}`;
  return scenario === undefined ? ofTarget : `${ofTarget} of scenario ${scenario}`;
}

/** Every run below a directory, also in comparisons. Unreadable files are named. */
async function readRuns(directory: string): Promise<{ runs: KeptRun[]; unreadable: History['unreadable'] }> {
  const runs: KeptRun[] = [];
  const unreadable: History['unreadable'] = [];
  const entries = await readdir(directory, { recursive: true }).catch((error: Error) => {
    const message = `--results: expected a directory, received ${directory} (${error.message})`;
    throw new ProblemError([problem('badOption', message)]);
  });
  for (const path of entries.filter((each) => basename(each) === runFile).sort()) {
    const file = join(directory, path);
    try {
      runs.push({ directory: dirname(file), result: await readRun(dirname(file)) });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const [first, ...others] = error.problems.map(({ message }) => message);
      unreadable.push({ file, why: `${first}${others.length > 0 ? ` (and ${others.length} more)` : ''}` });
    }
  }
  return { runs, unreadable };
}

function tell({ note }: Session, { metric, without, unreadable }: History): void {
  for (const { why } of unreadable) note(`can't be read: ${why}`);
  for (const [scenario, runs] of Object.entries(without))
    note(`${plural(runs, 'run')} of ${scenario}, which has no ${metric}`);
}
