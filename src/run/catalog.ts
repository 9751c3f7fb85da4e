/** Every scenario, protocol and load option by name, for the commands. */

import { ProblemError, problem } from '../contract/problems.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Scenario } from '../scenarios/scenario.js';

export { type HeadlineColumn, isTimed, publishWayOf } from '../measure/declaration.js';
export { protocolByName, protocolOptions, protocols } from '../protocols/list.js';
export { scenarioByName, scenarios } from '../scenarios/list.js';
export { clientKinds, defaultWorkers, type LoadOptions, loadOptions } from '../scenarios/load-options.js';
export type { Scenario, Slots } from '../scenarios/scenario.js';

/** The scenario of what a directory holds. Throws `ProblemError` where this version does not have it. */
export function scenarioOf(name: string, directory: string): Scenario {
  const scenario = scenarioByName(name);
  if (scenario) return scenario;
  throw new ProblemError([
    problem('badResult', `${directory} is of scenario ${name}, which this version does not have`),
  ]);
}
