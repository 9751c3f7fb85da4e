import {
  compareSchema,
  type GivenForRun,
  type Plan,
  planCompare,
  planRun,
  readOptions,
  runSchema,
} from '../src/run/plan/plan.js';
import type { ExternalTarget } from '../src/run/server/external-targets.js';
import type { Scenario } from '../src/scenarios/scenario.js';

/** Plans a run of what a user gave to `run`. */
export function plannedRun(scenario: Scenario, given: GivenForRun): ReturnType<typeof planRun> {
  return planRun(scenario, readOptions(runSchema(scenario), given));
}

/** Plans a comparison of what a user gave to `compare`. */
export function plannedComparison(
  scenario: Scenario,
  given: GivenForRun,
  own?: readonly ExternalTarget[],
): ReturnType<typeof planCompare> & { plans: Plan[] } {
  return planCompare(scenario, readOptions(compareSchema(scenario), given), own);
}
