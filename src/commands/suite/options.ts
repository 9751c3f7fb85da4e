import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { ProblemError, problem, resolveOrRefuse } from '../../contract/problems.js';
import { optionsOf, variablesOf } from '../../options/option.js';
import { protocolFilesIn, readProtocols } from '../../run/flow/read-protocols.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import { fleetOptions, formOptions, shardOptions, switchOf } from '../../run/plan/run-options.js';
import { duration } from '../../units/unit.js';
import { longestSuiteMs, runCount } from './journal.js';
import { type BesideSuite, planSuite, type SuitePlan } from './plan.js';
import { readSuite, type SuiteText } from './read.js';

const { localShards, resultsDir, trustDir, isStrict } = fleetOptions.shape;

/** Options of `suite run`: where it runs and what it is compared with. The file sets what runs. */
export const suiteOptions = z.strictObject({
  ...shardOptions.shape,
  localShards,
  resultsDir,
  trustDir,
  isStrict,
  baselineDir: z.string().min(1).optional().meta({
    flag: 'baseline',
    placeholder: 'directory',
    help: 'compare with this kept suite, or the newest one in it',
  }),
  isLimitedAccepted: switchOf('accept-limited', 'exit with 0 instead of 4 if no run is void'),
  ...formOptions.shape,
});

type SuiteOptions = z.output<typeof suiteOptions>;

/** Holds the inputs of `suite run` besides the file. */
export interface BesideFile {
  options: SuiteOptions;
  given: BesideSuite;
}

/** Resolves flags and environment of `suite run`. Throws `ProblemError` with everything that is wrong. */
export function besideOf({ flags, env: variables }: GivenForRun): BesideFile {
  const names = optionsOf(suiteOptions).flatMap(variablesOf);
  // Other variables must not change what a suite runs.
  const env = Object.fromEntries(names.map((name) => [name, variables[name]]));
  return { options: resolveOrRefuse(suiteOptions, { flags, env }), given: { flags, env, variables } };
}

/** Reads a suite file. `planWith` plans it with a seed. Throws `ProblemError` if it is no suite. */
export async function readPlan(
  path: string,
  given: BesideSuite,
): Promise<{ text: SuiteText; planWith(seed: number): SuitePlan }> {
  const content = await readFile(path, 'utf8').catch((error: Error) => {
    const hint = 'Give a suite file. `ringside schema suite` describes it.';
    throw new ProblemError([problem('badFile', `${path}: ${error.message}`, hint)]);
  });
  const text = readSuite(path, content);
  await readProtocols(protocolFilesIn(path));
  return { text, planWith: (seed) => planSuite(text, given, seed) };
}

/** Renders the length of a suite: `suite nightly: 7 entries, 87 runs, 27m at most`. */
export function lengthInWords({ name, entries }: SuitePlan, done = 0): string {
  const longest = duration.print(Math.ceil(longestSuiteMs(entries) / 60_000) * 60_000);
  const part = done > 0 ? `, ${done} of them done` : '';
  return `suite ${name}: ${entries.length} entries, ${runCount(entries)} runs${part}, ${longest} at most`;
}
