import type { PlannedModule } from '../src/run/flow/read-modules.js';
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

/** A flow that does nothing. */
const plannedFlow: PlannedModule = {
  ...{ name: 'nothing.ts', digest: '0'.repeat(64), weight: 1, metrics: {}, thresholds: [] },
  ...{ flow: { client: async () => undefined }, body: new Uint8Array(), code: '', files: {} },
};

/** Plans a run of what a user gave to `run`. */
export function plannedRun(scenario: Scenario, given: GivenForRun): ReturnType<typeof planRun> {
  return planRun(scenario, readOptions(runSchema(scenario), given), scenario.runsModules ? [plannedFlow] : []);
}

/** Plans a comparison of what a user gave to `compare`. */
export function plannedComparison(
  scenario: Scenario,
  given: GivenForRun,
  own?: readonly ExternalTarget[],
): ReturnType<typeof planCompare> & { plans: Plan[] } {
  return planCompare(scenario, readOptions(compareSchema(scenario), given), own);
}
