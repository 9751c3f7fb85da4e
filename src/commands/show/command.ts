import { join } from 'node:path';
import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { assemble, forcedDifference, ratiosAgain } from '../../experiment/compare.js';
import { recomputed } from '../../experiment/paired/pairs.js';
import { renderComparison } from '../../render/comparison.js';
import { renderRun } from '../../render/run.js';
import { paint, type Style } from '../../render/words/table.js';
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
import { renderCalibration } from '../calibrate/print.js';
import { type Forms, formFlags, plain } from '../command.js';
import { renderReproduction } from '../reproduce/print.js';
import { reproduction, reproductionFile } from '../reproduce/reproduction.js';
import { findingFile, findResult } from '../search/find/answer.js';
import { renderFinding } from '../search/find/print.js';
import { renderKnee } from '../search/knee/print.js';
import { knee, kneeFile } from '../search/knee/row.js';
import { suiteResult, suiteResultFile } from '../suite/book.js';
import { readBook } from '../suite/journal.js';
import { renderSuite } from '../suite/print.js';

type Print<T> = (kept: T, style: Style, directory: string) => string | Promise<string>;

const kind = <S extends z.ZodType>(file: string, schema: S, print: Print<z.output<S>>) => ({
  file,
  schema: schema as z.ZodType,
  print: print as Print<unknown>,
});

/** Lists the kinds of results that a directory can hold: file, schema and print function. */
const kinds = [
  kind(runFile, runResult.transform(carried), renderRunAgain),
  // This comes before the comparison, because it lies beside one.
  kind(reproductionFile, reproduction, renderReproduction),
  kind(comparisonFile, comparison.transform(carried), renderComparisonAgain),
  kind(calibrationFile, calibration, renderCalibration),
  kind(kneeFile, knee, renderKnee),
  kind(suiteResultFile, suiteResult, async (kept, style, at) => renderSuite(await readBook(kept, at), style)),
  kind(findingFile, findResult, renderFinding),
];

/** `ringside show RESULT_DIR…`: prints a kept result again, or several runs as one scoreboard. */
export const command = plain({
  arguments: [{ form: '<directories...>', help: 'directories of kept results; of several, each must hold a run' }],
  flags: z.strictObject({
    isForced: switchOf('force', 'allow runs of different shapes'),
    isJson: formFlags.isJson,
  }),
  examples: ['show results/RUN', 'show results/RUN1 results/RUN2'],
  async run(session, { args, own: { isForced, isJson } }) {
    const places = args.map(directoryOf);
    const [place = ''] = places;
    const { breaks, ...forms } =
      places.length > 1 ? await sideBySide(places, isForced) : await again(place, session.style);
    session.printResult({ isJson }, forms);
    return breaks.length === 0 ? 'clean' : 'rig';
  },
});

/** Renders a run with intervals computed from its kept blocks. */
async function renderRunAgain(kept: RunResult, style: Style, directory: string): Promise<string> {
  const scenario = scenarioOf(kept.scenario, directory);
  const { kept: found, disagreeing } = await computedAgain(kept, directory);
  return withNotes(renderRun(found, scenario, style), [disagreeing], style);
}

/** Renders a comparison. The pairs of a paired one, and all ratios, are computed from its kept rounds and runs. */
async function renderComparisonAgain(kept: Comparison, style: Style, directory: string): Promise<string> {
  const scenario = scenarioOf(kept.scenario, directory);
  const { kept: found, disagreeing } = await computedAgain(kept, directory);
  return withNotes(renderComparison(ratiosAgain(found, scenario), scenario, style), [disagreeing], style);
}

/** Returns a text with notes below it, a line each. Empty notes are left out. */
function withNotes(text: string, notes: readonly string[], style: Style): string {
  const said = notes.filter((note) => note !== '').map((note) => paint(style).doubtful(note));
  return said.length === 0 ? text : `${text}\n\n${said.join('\n')}`;
}

/** Holds the text to print, and each place where a ledger does not add up. */
type Shown = Forms & { breaks: readonly string[] };

async function again(directory: string, style: Style): Promise<Shown> {
  for (const { file, schema, print } of kinds) {
    const kept = await readDocument(join(directory, file), schema);
    if (kept === undefined) continue;
    const text = await print(kept, style, directory);
    const isMeasured = file === runFile || file === comparisonFile;
    const breaks = isMeasured ? ledgerBreaks(kept as RunOrComparison) : [];
    return { document: kept as object, text: () => text, breaks };
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
    document: scoreboard,
    breaks: ledgerBreaks(scoreboard),
    text: (style) => withNotes(renderComparison(scoreboard, scenario, style), notes, style),
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
