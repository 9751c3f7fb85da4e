import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { type Problem, ProblemError, problem, problemError, resolveOrRefuse } from '../../contract/problems.js';
import { figureByName, figureForms } from '../../results/figures.js';
import { experimentFile } from '../../results/journal.js';
import { isInTurn } from '../../results/likeness.js';
import { runFile } from '../../results/result.js';
import { readExperiment } from '../../results/store.js';
import { carried, readKeptRun } from '../../run/kept.js';
import { fleetOptions, formOptions, switchOf } from '../../run/plan/run-options.js';
import { scenarioByName, scenarios } from '../../scenarios/list.js';
import { plural } from '../../units/text.js';
import { type CommandSession, oneDocument, plain } from '../command.js';
import {
  type AskedRatio,
  askedRatio,
  type History,
  historyOf,
  history as historySchema,
  ratioFigures,
  ratioHistoryOf,
  ratiosToFirst,
} from './history.js';
import { historyCsv, historyDocument } from './print.js';

const place = fleetOptions.pick({ resultsDir: true });

const flags = z.strictObject({
  target: z.string().optional().meta({ flag: 'target', placeholder: 'name', help: 'only runs of this target' }),
  scenario: z.string().optional().meta({ flag: 'scenario', placeholder: 'name', help: 'only runs of this scenario' }),
  ...formOptions.shape,
  isCsv: switchOf('csv', 'print CSV, as Apache Otava reads it; times in microseconds'),
});

type Given = z.output<typeof flags>;

/** `ringside history METRIC`: prints a figure over all kept runs; for `A/B METRIC` a ratio over comparisons. */
export const command = plain({
  arguments: [{ form: '<metric>', help: "as in thresholds: delivery.p99, lost, delivered%, 'head/base delivery.p50'" }],
  options: place,
  flags,
  async run(session, { args: [metric = ''], own: given, ...rest }) {
    const asked = askedRatio(metric);
    oneDocument(given);
    check(metric, given, asked);
    const { resultsDir } = resolveOrRefuse(place, rest);
    const { document, among } = await (asked
      ? ofComparisons(metric, asked, resultsDir, given)
      : ofRuns(session, metric, resultsDir, given));
    const found = historySchema.parse(document);
    tell(session, found);
    if (found.lines.length === 0)
      throw new ProblemError([
        problem('notFound', `no ${among} under ${resultsDir} has ${metric}${chosenBy(given)}`, foundHint),
      ]);
    if (given.isCsv && found.lines.length > 1)
      session.note(`${found.lines.length} series in one file; Apache Otava takes one: ${oneSeries}`);
    if (given.isCsv) session.print(historyCsv(found));
    else await session.printResult(given, { data: found, document: historyDocument(found) });
  },
});

const oneSeries = "choose by --target and --scenario, or 'A/B METRIC'";
const foundHint = 'Make runs first, or name their directory with --results.';

/** Holds a document and the number of results that were searched: `run of 7`. */
interface Looked {
  document: History;
  among: string;
}

async function ofRuns({ note }: CommandSession, metric: string, resultsDir: string, given: Given): Promise<Looked> {
  const { kept, unreadable } = await readAll(resultsDir, runFile, async (directory) => ({
    directory,
    result: await readKeptRun(directory),
  }));
  const chosen = kept.filter(
    ({ result }) =>
      !isInTurn(result.shape) &&
      (given.target === undefined || result.target.name === given.target) &&
      (given.scenario === undefined || result.scenario === given.scenario),
  );
  const compared = await comparisonsIn(resultsDir, given);
  const ratios = given.target === undefined ? ratiosToFirst(metric, compared.kept) : [];
  const inTurn = kept.filter(({ result }) => isInTurn(result.shape)).length;
  if (inTurn > 0 && ratios.length === 0)
    note(`${inTurn} runs of paired comparisons, left out: they have ratios of ${ratioFigures.join(', ')}`);
  const ofTimes = historyOf(metric, chosen, [...unreadable, ...compared.unreadable]);
  const ofRatios = ratios.flatMap((asked) => ratioHistoryOf(metric, asked, compared.kept, []).lines);
  return { document: { ...ofTimes, lines: [...ofRatios, ...ofTimes.lines] }, among: `run of ${kept.length}` };
}

async function ofComparisons(metric: string, asked: AskedRatio, resultsDir: string, given: Given): Promise<Looked> {
  const { kept, unreadable } = await comparisonsIn(resultsDir, given);
  return { document: ratioHistoryOf(metric, asked, kept, unreadable), among: `comparison of ${kept.length}` };
}

async function comparisonsIn(resultsDir: string, { scenario }: Given) {
  const { kept: all, unreadable } = await readAll(resultsDir, experimentFile, async (directory) => ({
    directory,
    kept: await readExperiment(directory),
  }));
  const kept = all.flatMap(({ directory, kept: each }) =>
    each?.kind === 'comparison' && (scenario === undefined || each.scenario === scenario)
      ? { directory, comparison: carried(each) }
      : [],
  );
  return { kept, unreadable };
}

function check(metric: string, { scenario, target, isJson, isCsv }: Given, ratio: AskedRatio | undefined): void {
  const named = scenario === undefined ? undefined : scenarioByName(scenario);
  const among = named ? [named] : scenarios;
  const problems: Problem[] = [];
  if (scenario !== undefined && !named) {
    const names = scenarios.map(({ name }) => name).join(', ');
    problems.push(problem('unknownName', `--scenario: expected one of ${names}, received ${scenario}`));
  }
  if (ratio && target !== undefined)
    problems.push(problem('badOption', '--target: does not go with a ratio, which names its targets'));
  if (!ratio && among.every((each) => figureByName(metric, each) === undefined)) {
    const ratios = `A/B and one of ${ratioFigures.join(', ')}`;
    const any = `METRIC.FIGURE, a count, a share%, footprint (--scenario NAME lists its own), or ${ratios}`;
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

/** Reads every document of that name below a directory. Names unreadable files. */
async function readAll<T>(
  directory: string,
  name: string,
  read: (directory: string) => Promise<T>,
): Promise<{ kept: T[]; unreadable: History['unreadable'] }> {
  const kept: T[] = [];
  const unreadable: History['unreadable'] = [];
  const entries = await readdir(directory, { recursive: true }).catch((error: Error) => {
    const message = `--results: expected a directory, received ${directory} (${error.message})`;
    throw problemError('badOption', message);
  });
  for (const path of entries.filter((each) => basename(each) === name).sort()) {
    const file = join(directory, path);
    try {
      kept.push(await read(dirname(file)));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const [first, ...others] = error.problems.map(({ message }) => message);
      unreadable.push({ file, why: `${first}${others.length > 0 ? ` (and ${others.length} more)` : ''}` });
    }
  }
  return { kept, unreadable };
}

function tell({ note }: CommandSession, { metric, without, unreadable }: History): void {
  for (const { why } of unreadable) note(`can't be read: ${why}`);
  for (const [scenario, runs] of Object.entries(without))
    note(`${plural(runs, 'run')} of ${scenario}, which has no ${metric}`);
}
