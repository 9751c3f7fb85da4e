import { readFile } from 'node:fs/promises';
import { ProblemError, problem } from '../../../contract/problems.js';
import { resolveOrRefuse } from '../../../contract/refusal.js';
import { optionsOf, variablesOf } from '../../../options/option.js';
import type { Given } from '../../../run/plan/plan.js';
import { duration } from '../../../units/duration.js';
import { planSuite, type SuitePlan } from '../plan.js';
import { readSuite, type SuiteText } from '../read.js';
import { longestMs, slotsOf } from '../schedule.js';
import { type SuiteOptions, suiteOptions } from '../suite-options.js';

/** What was given beside the file: on what a suite runs. The environment is asked for these options alone, so that it bends no suite unseen. */
export interface Beside {
  options: SuiteOptions;
  flags: Record<string, unknown>;
  env: Record<string, string | undefined>;
  /** What `${NAME}` stands for in the targets that the file describes. */
  variables: Record<string, string | undefined>;
}

/** Reads what was given to `suite run` beside the file. Throws `ProblemError` with everything that is wrong with it. */
export function besideOf({ flags, env: all }: Given): Beside {
  const names = optionsOf(suiteOptions).flatMap(variablesOf);
  const env = Object.fromEntries(names.map((name) => [name, all[name]]));
  return { options: resolveOrRefuse(suiteOptions, { flags, env }), flags, env, variables: all };
}

/** Reads a suite's file; its plan follows from the seed. Throws `ProblemError` where the file is none. */
export async function readPlan(
  path: string,
  beside: Pick<Beside, 'flags' | 'env' | 'variables'>,
): Promise<{ text: SuiteText; planWith(seed: number): SuitePlan }> {
  const text = readSuite(path, await readText(path));
  return { text, planWith: (seed) => planSuite(text, beside, seed) };
}

/** How much there is to do: `suite nightly: 7 entries, 87 runs, 27m at most`. */
export function lengthInWords({ name, entries }: SuitePlan, done = 0): string {
  const runs = entries.reduce((sum, entry) => sum + slotsOf(entry).length, 0);
  const longest = duration.print(Math.ceil(longestMs(entries) / 60_000) * 60_000);
  return `suite ${name}: ${entries.length} entries, ${runs} runs${done > 0 ? `, ${done} of them done` : ''}, ${longest} at most`;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const hint = 'Give a suite; what it may hold is described by `ringside schema suite`.';
    throw new ProblemError([problem('badFile', `${path}: ${(error as Error).message}`, hint)]);
  }
}
