import { scenarios } from '../../run/catalog.js';
import { compareSchema, planCompare } from '../../run/plan/plan.js';
import type { ScenarioCommand } from '../command.js';
import { scoreboard } from './scoreboard.js';

/** `ringside compare SCENARIO`: several targets, repeats interleaved, one scoreboard on stdout. */
export const command: ScenarioCommand = {
  scenarios,
  schemaOf: compareSchema,
  run(session, scenario, given) {
    const { plans, ...repeats } = planCompare(scenario, given);
    return scoreboard(session, scenario, plans, repeats);
  },
};
