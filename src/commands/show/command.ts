import { join } from 'node:path';
import type { Command } from 'commander';
import type { z } from 'zod';
import { print, printLines } from '../../cli/terminal/output.js';
import { terminalStyle } from '../../cli/terminal/style.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { renderComparison } from '../../render/comparison.js';
import { renderRun } from '../../render/run.js';
import { calibration, calibrationFile } from '../../results/calibration.js';
import { comparison, comparisonFile } from '../../results/comparison.js';
import { keptIn, readKept, readRun, scenarioOf } from '../../results/kept.js';
import { runFile, runResult } from '../../results/result.js';
import { renderCalibration } from '../calibrate/print.js';
import { assemble, shapeDifference } from '../compare/assemble.js';
import { renderReproduction } from '../reproduce/print/terminal.js';
import { reproduction, reproductionFile } from '../reproduce/reproduction.js';
import { finding, findingFile } from '../search/finding.js';
import { renderKnee } from '../search/knee/print.js';
import { knee, kneeFile } from '../search/knee/schema.js';
import { renderFinding } from '../search/print-finding.js';
import { suiteResult, suiteResultFile } from '../suite/book.js';
import { readBook } from '../suite/kept.js';
import { renderSuite } from '../suite/print/terminal.js';

/** What can be kept in a directory: its file, its schema, and how it is printed. */
interface Kind<S extends z.ZodType> {
  file: string;
  schema: S;
  print(kept: z.output<S>, directory: string): string | Promise<string>;
}

const kind = <S extends z.ZodType>(each: Kind<S>): Kind<z.ZodType> => each as unknown as Kind<z.ZodType>;

const kinds = [
  kind({
    file: runFile,
    schema: runResult,
    print: (kept, directory) => renderRun(kept, scenarioOf(kept.scenario, directory), terminalStyle()),
  }),
  // Before the comparison, which lies beside it.
  kind({ file: reproductionFile, schema: reproduction, print: (kept) => renderReproduction(kept, terminalStyle()) }),
  kind({
    file: comparisonFile,
    schema: comparison,
    print: (kept, directory) => renderComparison(kept, scenarioOf(kept.scenario, directory), terminalStyle()),
  }),
  kind({ file: calibrationFile, schema: calibration, print: (kept) => renderCalibration(kept, terminalStyle()) }),
  kind({ file: kneeFile, schema: knee, print: (kept) => renderKnee(kept, terminalStyle()) }),
  kind({
    file: suiteResultFile,
    schema: suiteResult,
    print: async (kept, directory) => renderSuite(await readBook(kept, directory), terminalStyle()),
  }),
  kind({ file: findingFile, schema: finding, print: (kept) => renderFinding(kept, terminalStyle()) }),
];

/** `ringside show RESULT_DIR…`: a kept run, comparison, search, reproduction, calibration or suite, printed again; several runs as one scoreboard. */
export function define(command: Command): void {
  command
    .argument('<directories...>', 'directories under results/; of several, each must hold a run')
    .option('--force', 'put runs of different shapes side by side')
    .option('--json', 'print the JSON document')
    .action(async (directories: string[], { json = false, force = false }: { json?: boolean; force?: boolean }) => {
      const places = directories.map(keptIn);
      const [place = ''] = places;
      const text = places.length > 1 ? await sideBySide(places, json, force) : await again(place, json);
      if (json) print(`${text}\n`);
      else printLines(text);
    });
}

async function again(directory: string, isJson: boolean): Promise<string> {
  for (const { file, schema, print } of kinds) {
    const kept = await readKept(join(directory, file), schema);
    if (kept === undefined) continue;
    return isJson ? JSON.stringify(kept, null, 2) : print(kept, directory);
  }
  const files = kinds.map(({ file }) => file).join(', ');
  throw new ProblemError([problem('badResult', `${directory} holds none of ${files}`)]);
}

async function sideBySide(directories: readonly string[], isJson: boolean, isForced: boolean): Promise<string> {
  const runs = await Promise.all(
    directories.map(async (directory) => ({ directory, result: await readRun(directory) })),
  );
  const names = [...new Set(runs.map(({ result }) => result.scenario))];
  if (names.length > 1) {
    const message = `one scoreboard holds runs of one scenario, and these are of ${names.join(', ')}`;
    throw new ProblemError([problem('shapesDiffer', message, 'Show those of each by themselves.')]);
  }
  const difference = shapeDifference(runs);
  if (difference !== undefined && !isForced) throw new ProblemError([problem('shapesDiffer', difference)]);
  const [first] = runs;
  const scenario = scenarioOf(first?.result.scenario ?? '', directories[0] ?? '');
  const scoreboard = assemble(scenario, runs, difference ?? '');
  return isJson ? JSON.stringify(scoreboard, null, 2) : renderComparison(scoreboard, scenario, terminalStyle());
}
