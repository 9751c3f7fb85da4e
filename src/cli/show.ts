import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { z } from 'zod';
import { type Scenario, scenarioByName } from '../contract/catalog.js';
import { comparison } from '../contract/comparison.js';
import { ProblemError, problem } from '../contract/problems.js';
import { runResult } from '../contract/result.js';
import { renderComparison } from '../report/comparison.js';
import { renderRun } from '../report/run.js';
import { terminalStyle } from './style.js';

/** `ringside show RESULT_DIR`: a kept run or comparison, printed again. */
export function define(command: Command): void {
  command
    .argument('<directory>', 'a directory under results/')
    .option('--json', 'print the kept JSON document')
    .action(async (directory: string, { json }: { json?: boolean }) => {
      const result = await readKept(join(directory, 'result.json'), runResult);
      const scoreboard = result ? undefined : await readKept(join(directory, 'comparison.json'), comparison);
      const kept = result ?? scoreboard;
      if (!kept)
        throw new ProblemError([
          problem('badResult', `${directory} holds neither a result.json nor a comparison.json`),
        ]);
      if (json) {
        process.stdout.write(`${JSON.stringify(kept, null, 2)}\n`);
        return;
      }
      const scenario = scenarioOf(kept.scenario, directory);
      const text = result
        ? renderRun(result, scenario, terminalStyle())
        : scoreboard && renderComparison(scoreboard, scenario, terminalStyle());
      process.stdout.write(`${text}\n`);
    });
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
