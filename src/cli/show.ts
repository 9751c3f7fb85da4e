import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { z } from 'zod';
import { type Scenario, scenarioByName } from '../contract/catalog.js';
import { comparison } from '../contract/comparison.js';
import { finding } from '../contract/finding.js';
import { ProblemError, problem } from '../contract/problems.js';
import { runResult } from '../contract/result.js';
import { renderComparison } from '../report/comparison.js';
import { renderFinding } from '../report/finding.js';
import { renderRun } from '../report/run.js';
import { terminalStyle } from './style.js';

/** What can be kept in a directory: its file, its schema, and how it is printed. */
interface Kind<S extends z.ZodType> {
  file: string;
  schema: S;
  print(kept: z.output<S>, scenario: Scenario): string;
}

const kind = <S extends z.ZodType>(each: Kind<S>): Kind<z.ZodType> => each as unknown as Kind<z.ZodType>;

const kinds = [
  kind({
    file: 'result.json',
    schema: runResult,
    print: (kept, scenario) => renderRun(kept, scenario, terminalStyle()),
  }),
  kind({
    file: 'comparison.json',
    schema: comparison,
    print: (kept, scenario) => renderComparison(kept, scenario, terminalStyle()),
  }),
  kind({ file: 'finding.json', schema: finding, print: (kept) => renderFinding(kept, terminalStyle()) }),
];

/** `ringside show RESULT_DIR`: a kept run, comparison or search, printed again. */
export function define(command: Command): void {
  command
    .argument('<directory>', 'a directory under results/')
    .option('--json', 'print the kept JSON document')
    .action(async (directory: string, { json }: { json?: boolean }) => {
      for (const { file, schema, print } of kinds) {
        const kept = await readKept(join(directory, file), schema);
        if (kept === undefined) continue;
        const { scenario } = kept as { scenario: string };
        const text = json ? JSON.stringify(kept, null, 2) : print(kept, scenarioOf(scenario, directory));
        process.stdout.write(`${text}\n`);
        return;
      }
      const files = kinds.map(({ file }) => file).join(', ');
      throw new ProblemError([problem('badResult', `${directory} holds none of ${files}`)]);
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
