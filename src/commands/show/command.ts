import { join } from 'node:path';
import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { assemble, forcedDifference, ratiosAgain } from '../../experiment/compare.js';
import { recomputed } from '../../experiment/paired/pairs.js';
import { comparisonDocument } from '../../render/comparison.js';
import { type Document, toned } from '../../render/document/document.js';
import { runDocument } from '../../render/run.js';
import { ledgerBreaks } from '../../results/broken-ledger.js';
import { type Comparison, isComparison, type RunOrComparison } from '../../results/comparison.js';
import type { Experiment } from '../../results/experiment.js';
import { experimentFile } from '../../results/journal.js';
import { latestResult } from '../../results/latest.js';
import { disagreement, recomputedRun } from '../../results/recompute.js';
import { type RunResult, runFile, runResult } from '../../results/result.js';
import { directoryOf, readBlocks, readDocument, readExperiment } from '../../results/store.js';
import { carried, readKeptRun, scenarioOf } from '../../run/kept.js';
import { formOptions, switchOf } from '../../run/plan/run-options.js';
import { bracketDocument, isBracket } from '../bracket/print.js';
import { calibrationDocument } from '../calibrate/print.js';
import { type Forms, oneDocument, plain } from '../command.js';
import { reproductionDocument } from '../reproduce/print.js';
import { findDocument } from '../search/find/print.js';
import { kneeDocument } from '../search/knee/print.js';
import { readBook } from '../suite/journal.js';
import { suiteDocument } from '../suite/print.js';

/** Returns the document of an experiment. Throws `ProblemError` for an unfinished one. */
export function experimentDocument(kept: Experiment, directory: string): Document | Promise<Document> {
  if ('published' in kept && kept.published) return reproductionDocument(kept.published);
  switch (kept.kind) {
    case 'comparison':
      return comparisonAgain(kept, directory);
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
      throw new ProblemError([problem('badResult', message, `Continue it with --resume ${directory}.`)]);
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

async function runAgain(kept: RunResult, directory: string): Promise<Document> {
  const scenario = scenarioOf(kept.scenario, directory, [kept]);
  const { kept: found, disagreeing } = await computedAgain(kept, directory);
  return withNotes(runDocument(found, scenario), [disagreeing]);
}

/** Returns the document of a comparison. Pairs and ratios are computed from its kept rounds and runs. */
async function comparisonAgain(kept: Comparison, directory: string): Promise<Document> {
  const scenario = scenarioOf(kept.scenario, directory, [kept]);
  const { kept: found, disagreeing } = await computedAgain(kept, directory);
  const documentOf = isBracket(kept) ? bracketDocument : comparisonDocument;
  return withNotes(documentOf(ratiosAgain(found, scenario), scenario), [disagreeing]);
}

/** Returns a document with notes at its end, a line each. Empty notes are left out. */
function withNotes(document: Document, notes: readonly string[]): Document {
  const blocks = notes.filter((note) => note !== '').map(toned.doubtful);
  return { ...document, parts: [...document.parts, { blocks }] };
}

/** Holds the answer to print, and each place where a ledger does not add up. */
type Shown = Forms & { breaks: readonly string[] };

/** Reads any kept result as a document. Throws `ProblemError` if there is none. */
export async function keptForms(directory: string): Promise<Shown> {
  const run = await readDocument(join(directory, runFile), runResult);
  const found = run ?? (await readExperiment(directory));
  if (!found)
    throw new ProblemError([problem('badResult', `${directory} holds no ${runFile} and no ${experimentFile}`)]);
  if (!('kind' in found)) {
    const kept = carried(found);
    return { data: kept, document: await runAgain(kept, directory), breaks: ledgerBreaks(kept) };
  }
  const kept = found.kind === 'comparison' ? carried(found) : found;
  const breaks = kept.kind === 'comparison' ? ledgerBreaks(kept) : [];
  return { data: kept, document: await experimentDocument(kept, directory), breaks };
}

async function sideBySide(directories: readonly string[], isForced: boolean): Promise<Shown> {
  const found = await Promise.all(
    directories.map(async (directory) => ({
      directory,
      ...(await computedAgain(await readKeptRun(directory), directory)),
    })),
  );
  const runs = found.map(({ directory, kept: result }) => ({ directory, result }));
  const names = [...new Set(runs.map(({ result }) => result.scenario))];
  if (names.length > 1) {
    const message = `one scoreboard holds runs of one scenario, and these are of ${names.join(', ')}`;
    throw new ProblemError([problem('shapesDiffer', message, 'Show those of each by themselves.')]);
  }
  const difference = forcedDifference(runs, isForced);
  const [first] = runs;
  const scenario = scenarioOf(
    first?.result.scenario ?? '',
    directories[0] ?? '',
    runs.map(({ result }) => result),
  );
  const scoreboard = assemble(scenario, runs, difference);
  const notes = found.map(({ directory, disagreeing }) => disagreeing && `${directory}: ${disagreeing}`);
  return {
    data: scoreboard,
    document: withNotes(comparisonDocument(scoreboard, scenario), notes),
    breaks: ledgerBreaks(scoreboard),
  };
}

/** Holds a kept result with figures computed again. */
export interface Again<R> {
  kept: R;
  /** Names where the document has other figures; empty if nowhere. */
  disagreeing: string;
}

/**
 * Returns a kept result with the figures that its data gives: intervals of a run from its blocks, pairs of a comparison
 * from its rounds. Throws `ProblemError` where the blocks of a run are missing or damaged.
 */
export function computedAgain(kept: RunResult, directory: string): Promise<Again<RunResult>>;
export function computedAgain(kept: Comparison, directory: string): Promise<Again<Comparison>>;
export async function computedAgain(kept: RunOrComparison, directory: string): Promise<Again<RunOrComparison>> {
  if (isComparison(kept)) {
    const { comparison, differing } = recomputed(kept);
    return { kept: comparison, disagreeing: disagreement(differing, 'rounds') };
  }
  const { run, differing } = recomputedRun(kept, await readBlocks(directory, kept));
  return { kept: run, disagreeing: disagreement(differing, 'blocks') };
}
