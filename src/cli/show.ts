import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { z } from 'zod';
import { calibration } from '../contract/calibration.js';
import { type Scenario, scenarioByName } from '../contract/catalog.js';
import { comparison } from '../contract/comparison.js';
import { finding } from '../contract/finding.js';
import { ProblemError, problem } from '../contract/problems.js';
import { runResult } from '../contract/result.js';
import { assemble, shapeDifference } from '../driver/assemble.js';
import { renderCalibration } from '../report/calibration.js';
import { renderComparison } from '../report/comparison.js';
import { renderFinding } from '../report/finding.js';
import { renderRun } from '../report/run.js';
import { terminalStyle } from './style.js';

/** What can be kept in a directory: its file, its schema, and how it is printed. */
interface Kind<S extends z.ZodType> {
  file: string;
  schema: S;
  print(kept: z.output<S>, directory: string): string;
}

const kind = <S extends z.ZodType>(each: Kind<S>): Kind<z.ZodType> => each as unknown as Kind<z.ZodType>;

const kinds = [
  kind({
    file: 'result.json',
    schema: runResult,
    print: (kept, directory) => renderRun(kept, scenarioOf(kept.scenario, directory), terminalStyle()),
  }),
  kind({
    file: 'comparison.json',
    schema: comparison,
    print: (kept, directory) => renderComparison(kept, scenarioOf(kept.scenario, directory), terminalStyle()),
  }),
  kind({ file: 'calibration.json', schema: calibration, print: (kept) => renderCalibration(kept, terminalStyle()) }),
  kind({ file: 'finding.json', schema: finding, print: (kept) => renderFinding(kept, terminalStyle()) }),
];

/** `ringside show RESULT_DIR…`: a kept run, comparison, search or calibration, printed again; several runs as one scoreboard. */
export function define(command: Command): void {
  command
    .argument('<directories...>', 'directories under results/; of several, each must hold a run')
    .option('--force', 'put runs of different shapes side by side')
    .option('--json', 'print the JSON document')
    .action(async (directories: string[], { json = false, force = false }: { json?: boolean; force?: boolean }) => {
      const [directory = ''] = directories;
      const text = directories.length > 1 ? await sideBySide(directories, json, force) : await again(directory, json);
      process.stdout.write(`${text}\n`);
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
    directories.map(async (directory) => {
      const result = await readKept(join(directory, 'result.json'), runResult);
      if (result === undefined) throw new ProblemError([problem('badResult', `${directory} holds no result.json`)]);
      return { directory, result };
    }),
  );
  const difference = shapeDifference(runs);
  if (difference !== undefined && !isForced) throw new ProblemError([problem('shapesDiffer', difference)]);
  const [first] = runs;
  const scenario = scenarioOf(first?.result.scenario ?? '', directories[0] ?? '');
  const scoreboard = assemble(scenario, runs, difference ?? '');
  return isJson ? JSON.stringify(scoreboard, null, 2) : renderComparison(scoreboard, scenario, terminalStyle());
}

function scenarioOf(name: string, directory: string): Scenario {
  const scenario = scenarioByName(name);
  if (!scenario)
    throw new ProblemError([problem('badResult', `${directory} is of scenario ${name}, which this version has not`)]);
  return scenario;
}

/** Reads and checks a kept file; undefined when there is none. */
async function readKept<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S> | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ProblemError([problem('badResult', `${path}: ${(error as Error).message}`)]);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ProblemError([problem('badResult', `${path}: ${(error as Error).message}`)]);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ProblemError(
    parsed.error.issues.map((issue) => problem('badResult', `${path}: ${issue.path.join('.')}: ${issue.message}`)),
  );
}
