import { join } from 'node:path';
import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { assemble, forcedDifference, ratiosAgain } from '../../experiment/compare.js';
import { recomputed } from '../../experiment/paired/pairs.js';
import { comparisonDocument } from '../../render/comparison.js';
import { type Document, toned } from '../../render/document/document.js';
import { runDocument } from '../../render/run.js';
import { ledgerBreaks } from '../../results/broken-ledger.js';
import { calibration, calibrationFile } from '../../results/calibration.js';
import {
  type Comparison,
  comparison,
  comparisonFile,
  isComparison,
  type RunOrComparison,
} from '../../results/comparison.js';
import { disagreement, recomputedRun } from '../../results/recompute.js';
import { type RunResult, runFile, runResult } from '../../results/result.js';
import { directoryOf, readBlocks, readDocument } from '../../results/store.js';
import { carried, readKeptRun, scenarioOf } from '../../run/kept.js';
import { switchOf } from '../../run/plan/option-kinds.js';
import { calibrationDocument } from '../calibrate/print.js';
import { type Forms, formFlags, oneDocument, plain } from '../command.js';
import { reproductionDocument } from '../reproduce/print.js';
import { reproduction, reproductionFile } from '../reproduce/reproduction.js';
import { findingFile, findResult } from '../search/find/answer.js';
import { findDocument } from '../search/find/print.js';
import { kneeDocument } from '../search/knee/print.js';
import { knee, kneeFile } from '../search/knee/row.js';
import { suiteResult, suiteResultFile } from '../suite/book.js';
import { readBook } from '../suite/journal.js';
import { suiteDocument } from '../suite/print.js';

type DocumentOf<T> = (kept: T, directory: string) => Document | Promise<Document>;

const kind = <S extends z.ZodType>(file: string, schema: S, documentOf: DocumentOf<z.output<S>>) => ({
  file,
  schema: schema as z.ZodType,
  documentOf: documentOf as DocumentOf<unknown>,
});

/** Lists the kinds of results that a directory can hold: file, schema and document. */
const kinds = [
  kind(runFile, runResult.transform(carried), runAgain),
  // This comes before the comparison, because it lies beside one.
  kind(reproductionFile, reproduction, reproductionDocument),
  kind(comparisonFile, comparison.transform(carried), comparisonAgain),
  kind(calibrationFile, calibration, calibrationDocument),
  kind(kneeFile, knee, kneeDocument),
  kind(suiteResultFile, suiteResult, async (kept, at) => suiteDocument(await readBook(kept, at))),
  kind(findingFile, findResult, findDocument),
];

/** `ringside show RESULT_DIR…`: prints a kept result again, or several runs as one scoreboard. */
export const command = plain({
  arguments: [{ form: '<directories...>', help: 'directories of kept results; of several, each must hold a run' }],
  flags: z.strictObject({
    isForced: switchOf('force', 'allow runs of different shapes'),
    ...formFlags,
  }),
  examples: ['show results/RUN', 'show results/RUN1 results/RUN2'],
  async run(session, { args, own: { isForced, ...asked } }) {
    oneDocument(asked);
    const places = args.map(directoryOf);
    const [place = ''] = places;
    const { breaks, ...forms } = places.length > 1 ? await sideBySide(places, isForced) : await again(place);
    session.printResult(asked, forms);
    return breaks.length === 0 ? 'clean' : 'rig';
  },
});

/** Returns the document of a run, with intervals computed from its kept blocks. */
async function runAgain(kept: RunResult, directory: string): Promise<Document> {
  const scenario = scenarioOf(kept.scenario, directory);
  const { kept: found, disagreeing } = await computedAgain(kept, directory);
  return withNotes(runDocument(found, scenario), [disagreeing]);
}

/** Returns the document of a comparison. Pairs and ratios are computed from its kept rounds and runs. */
async function comparisonAgain(kept: Comparison, directory: string): Promise<Document> {
  const scenario = scenarioOf(kept.scenario, directory);
  const { kept: found, disagreeing } = await computedAgain(kept, directory);
  return withNotes(comparisonDocument(ratiosAgain(found, scenario), scenario), [disagreeing]);
}

/** Returns a document with notes at its end, a line each. Empty notes are left out. */
function withNotes(document: Document, notes: readonly string[]): Document {
  const blocks = notes.filter((note) => note !== '').map(toned.doubtful);
  return { ...document, parts: [...document.parts, { blocks }] };
}

/** Holds the answer to print, and each place where a ledger does not add up. */
type Shown = Forms & { breaks: readonly string[] };

async function again(directory: string): Promise<Shown> {
  for (const { file, schema, documentOf } of kinds) {
    const kept = await readDocument(join(directory, file), schema);
    if (kept === undefined) continue;
    const isMeasured = file === runFile || file === comparisonFile;
    const breaks = isMeasured ? ledgerBreaks(kept as RunOrComparison) : [];
    return { data: kept as object, document: await documentOf(kept, directory), breaks };
  }
  const files = kinds.map(({ file }) => file).join(', ');
  throw new ProblemError([problem('badResult', `${directory} holds none of ${files}`)]);
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
  const scenario = scenarioOf(first?.result.scenario ?? '', directories[0] ?? '');
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
