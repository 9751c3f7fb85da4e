import { join } from 'node:path';
import { z } from 'zod';
import { problemError } from '../../contract/problems.js';
import { assemble, forcedDifference, withRatios } from '../../experiment/compare.js';
import { recomputed } from '../../experiment/paired/rounds.js';
import { comparisonDocument } from '../../render/comparison.js';
import type { Document } from '../../render/document/document.js';
import { runDocument } from '../../render/run.js';
import { isComparison, type RunOrComparison } from '../../results/comparison.js';
import type { Experiment } from '../../results/experiment.js';
import { experimentFile } from '../../results/journal.js';
import { latestResult } from '../../results/latest.js';
import { ledgerBreaks, recomputedRun } from '../../results/recheck.js';
import { runFile, runResult } from '../../results/result.js';
import { directoryOf, readBlocks, readDocument, readExperiment } from '../../results/store.js';
import { carried, readKeptRun, scenarioOf } from '../../run/kept.js';
import { formOptions, switchOf } from '../../run/plan/run-options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { bracketDocument, isBracket } from '../bracket/print.js';
import { calibrationDocument } from '../calibrate/print.js';
import { type Forms, oneDocument, plain } from '../command.js';
import { reproductionDocument } from '../reproduce/print.js';
import { findDocument } from '../search/find/print.js';
import { kneeDocument } from '../search/knee/print.js';
import { readBook } from '../suite/nights.js';
import { suiteDocument } from '../suite/print.js';

/** Returns the document of an experiment. Throws `ProblemError` for an unfinished one. */
export function experimentDocument(kept: Experiment, directory: string): Document | Promise<Document> {
  if ('published' in kept && kept.published) return reproductionDocument(kept.published);
  switch (kept.kind) {
    case 'comparison': {
      const scenario = scenarioOf(kept.scenario, directory, [kept]);
      const documentOf = isBracket(kept) ? bracketDocument : comparisonDocument;
      return documentOf(withRatios(recomputed(kept), kept.ratioThresholds ?? [], scenario), scenario);
    }
    case 'finding':
      return findDocument(kept);
    case 'knee':
      return kneeDocument(kept);
    case 'calibration':
      return calibrationDocument(kept);
    case 'suite':
      return readBook(kept, directory).then(suiteDocument);
    case 'unfinished': {
      const message = `${directory} holds an experiment without an answer`;
      throw problemError('badResult', message, `Continue it with --resume ${directory}.`);
    }
  }
}

/** `ringside show [RESULT_DIR…]`: prints all of a kept result, or several runs as one scoreboard. */
export const command = plain({
  arguments: [
    { form: '[directories...]', help: 'directories of kept results, the newest by default; several must be runs' },
  ],
  flags: z.strictObject({
    isForced: switchOf('force', 'allow runs of different loads'),
    ...formOptions.shape,
  }),
  examples: ['show', 'show results/RUN', 'show results/RUN1 results/RUN2'],
  async run(session, { args, own: { isForced, ...asked } }) {
    oneDocument(asked);
    const places = args.length > 0 ? args.map(directoryOf) : [await latestResult()];
    const [place = ''] = places;
    const { breaks, ...forms } = places.length > 1 ? await sideBySide(places, isForced) : await keptForms(place);
    await session.printResult(asked, forms);
    return breaks.length === 0 ? 'clean' : 'rig';
  },
});

/** Reads the runs or comparisons of one scenario, with figures computed again. Throws `ProblemError` for several. */
export async function keptOfOne<R extends RunOrComparison>(
  directories: readonly string[],
  read: (directory: string) => Promise<R>,
): Promise<{ scenario: Scenario; all: { kept: R; directory: string }[] }> {
  const all = await Promise.all(
    directories.map(async (directory) => ({
      directory,
      kept: await computedAgain(await read(directory), directory),
    })),
  );
  const kept = all.map((each) => each.kept);
  const names = [...new Set(kept.map(({ scenario }) => scenario))];
  const [name = ''] = names;
  if (names.length > 1) {
    const message = `expected results of one scenario, received ${names.join(', ')}`;
    throw problemError('shapesDiffer', message, 'Give those of each by themselves.');
  }
  return { scenario: scenarioOf(name, directories[0] ?? '', kept), all };
}

/** Holds the answer to print, and each place where a ledger does not add up. */
type Shown = Forms & { breaks: readonly string[] };

/** Reads any kept result as a document. Throws `ProblemError` if there is none. */
export async function keptForms(directory: string): Promise<Shown> {
  const run = await readDocument(join(directory, runFile), runResult);
  const found = run ?? (await readExperiment(directory));
  if (!found) throw problemError('badResult', `${directory} holds no ${runFile} and no ${experimentFile}`);
  if (!('kind' in found)) {
    const kept = carried(found);
    const scenario = scenarioOf(kept.scenario, directory, [kept]);
    const document = runDocument(await computedAgain(kept, directory), scenario);
    return { data: kept, document, breaks: ledgerBreaks(kept) };
  }
  const kept = found.kind === 'comparison' ? carried(found) : found;
  const breaks = kept.kind === 'comparison' ? ledgerBreaks(kept) : [];
  return { data: kept, document: await experimentDocument(kept, directory), breaks };
}

async function sideBySide(directories: readonly string[], isForced: boolean): Promise<Shown> {
  const { scenario, all } = await keptOfOne(directories, readKeptRun);
  const runs = all.map(({ directory, kept: result }) => ({ directory, result }));
  const scoreboard = assemble(scenario, runs, forcedDifference(runs, isForced));
  const document = comparisonDocument(scoreboard, scenario);
  return { data: scoreboard, document, breaks: ledgerBreaks(scoreboard) };
}

/** Returns a kept result with the figures that its data gives. Throws `ProblemError` for blocks that are damaged. */
export function computedAgain<R extends RunOrComparison>(kept: R, directory: string): Promise<R>;
export async function computedAgain(kept: RunOrComparison, directory: string): Promise<RunOrComparison> {
  return isComparison(kept) ? recomputed(kept) : recomputedRun(kept, await readBlocks(directory, kept));
}
