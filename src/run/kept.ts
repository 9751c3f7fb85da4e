import type { DescribedModule } from '../contract/modules.js';
import { ProblemError, problem } from '../contract/problems.js';
import { isComparison, type RunOrComparison } from '../results/comparison.js';
import { rechecked } from '../results/recheck.js';
import type { RunResult } from '../results/result.js';
import * as store from '../results/store.js';
import { withModules } from '../scenarios/flow/index.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Scenario } from '../scenarios/scenario.js';

/** Adds the percentiles that the samples of a kept result carry. Voids a result whose ledger does not add up. */
export function carried<R extends RunOrComparison>(kept: R): R {
  const named = scenarioByName(kept.scenario);
  const scenario = named && withModules(named, modulesIn(kept));
  return scenario ? rechecked(kept, scenario) : kept;
}

function modulesIn(kept: RunOrComparison): readonly DescribedModule[] {
  const runs = isComparison(kept) ? kept.rows.flatMap((row) => row.runs.map(({ result }) => result)) : [kept];
  return runs.flatMap(({ modules = [] }) => modules);
}

/** Reads the run in a directory. Throws `ProblemError` if there is none. */
export async function readKeptRun(directory: string): Promise<RunResult> {
  return carried(await store.readRun(directory));
}

/** Reads the run or the comparison in a directory. Throws `ProblemError` if there is neither. */
export async function readKept(directory: string): Promise<RunOrComparison> {
  return carried(await store.readRunOrComparison(directory));
}

/** Finds the scenario of kept results, with what their modules declare. Throws `ProblemError` without. */
export function scenarioOf(name: string, directory: string, kept: readonly RunOrComparison[]): Scenario {
  const scenario = scenarioByName(name);
  if (scenario) return withModules(scenario, kept.flatMap(modulesIn));
  throw new ProblemError([
    problem('badResult', `${directory} is of scenario ${name}, which this version does not have`),
  ]);
}
