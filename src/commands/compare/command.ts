import type { Command } from 'commander';
import { defineByScenario } from '../../cli/options/scenario-command.js';
import { scenarios } from '../../run/catalog.js';
import { compareSchema, planCompare } from '../../run/plan/plan.js';
import { printScoreboard } from './scoreboard.js';

/** `ringside compare SCENARIO`: several targets, repeats interleaved, one scoreboard on stdout. */
export function define(command: Command): void {
  defineByScenario(command, scenarios, compareSchema, async (scenario, given) => {
    const { plans, ...repeats } = planCompare(scenario, given);
    await printScoreboard(scenario, plans, repeats);
  });
}
