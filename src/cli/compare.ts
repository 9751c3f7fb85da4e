import type { Command } from 'commander';
import { scenarios } from '../contract/catalog.js';
import { compareSchema, planCompare } from '../driver/plan.js';
import { defineByScenario } from './scenario-command.js';
import { printScoreboard } from './scoreboard.js';

/** `ringside compare SCENARIO`: several targets, repeats interleaved, one scoreboard on stdout. */
export function define(command: Command): void {
  defineByScenario(command, scenarios, compareSchema, async (scenario, given) => {
    const { plans, repeat } = planCompare(scenario, given);
    const [first] = plans;
    if (!first) throw new Error('a comparison has at least one target');
    await printScoreboard(scenario, plans, repeat, first.fleet);
  });
}
