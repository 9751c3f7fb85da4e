import { ProblemError, problem } from '../contract/problems.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Scenario } from '../scenarios/scenario.js';

/** Finds the scenario of a kept result in `directory`. Throws `ProblemError` where this version does not have it. */
export function scenarioOf(name: string, directory: string): Scenario {
  const scenario = scenarioByName(name);
  if (scenario) return scenario;
  throw new ProblemError([
    problem('badResult', `${directory} is of scenario ${name}, which this version does not have`),
  ]);
}
