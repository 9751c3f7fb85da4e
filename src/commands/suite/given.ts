import { readFile } from 'node:fs/promises';
import { ProblemError, problem } from '../../contract/problems.js';
import { resolveOrRefuse } from '../../contract/refusal.js';
import { optionsOf, variablesOf } from '../../options/option.js';
import type { Given } from '../../run/plan/plan.js';
import { duration } from '../../units/duration.js';
import { type SuiteOptions, suiteOptions } from './options.js';
import { planSuite, type SuitePlan } from './plan.js';
import { readSuite, type SuiteText } from './read.js';
import { longestMs, runCount } from './schedule.js';

type Variables = Record<string, string | undefined>;

/** What `suite run` receives besides the file. */
export interface Beside {
  options: SuiteOptions;
  flags: Record<string, unknown>;
  /** Variables of these options only: others must not change what a suite runs. */
  env: Variables;
  /** Values of `${NAME}` in targets of the file. */
  variables: Variables;
}

/** Resolves flags and environment of `suite run`. Throws `ProblemError` with everything that is wrong. */
export function besideOf({ flags, env: variables }: Given): Beside {
  const names = optionsOf(suiteOptions).flatMap(variablesOf);
  const env = Object.fromEntries(names.map((name) => [name, variables[name]]));
  return { options: resolveOrRefuse(suiteOptions, { flags, env }), flags, env, variables };
}

/** Reads a suite file; `planWith` plans it with a seed. Throws `ProblemError` if it is no suite. */
export async function readPlan(
  path: string,
  beside: Pick<Beside, 'flags' | 'env' | 'variables'>,
): Promise<{ text: SuiteText; planWith(seed: number): SuitePlan }> {
  const content = await readFile(path, 'utf8').catch((error: Error) => {
    const hint = 'Give a suite file. `ringside schema suite` describes it.';
    throw new ProblemError([problem('badFile', `${path}: ${error.message}`, hint)]);
  });
  const text = readSuite(path, content);
  return { text, planWith: (seed) => planSuite(text, beside, seed) };
}

/** How much there is to do: `suite nightly: 7 entries, 87 runs, 27m at most`. */
export function lengthInWords({ name, entries }: SuitePlan, done = 0): string {
  const longest = duration.print(Math.ceil(longestMs(entries) / 60_000) * 60_000);
  const part = done > 0 ? `, ${done} of them done` : '';
  return `suite ${name}: ${entries.length} entries, ${runCount(entries)} runs${part}, ${longest} at most`;
}
