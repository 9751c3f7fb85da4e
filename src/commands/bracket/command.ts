import type { Command } from 'commander';
import { defineByScenario } from '../../cli/options/scenario-command.js';
import { minRuns } from '../../measure/stats/estimate.js';
import { scenarioByName } from '../../run/catalog.js';
import { bracketSchema, planRun } from '../../run/plan/plan.js';
import { printComparison } from '../compare/scoreboard.js';
import { bracket } from './bracket.js';
import { renderBracket } from './print.js';

/** `ringside bracket latency`: wire clients, library clients and the publish's own round trip side by side. */
export function define(command: Command): void {
  const latency = scenarioByName('latency');
  if (!latency) throw new Error('there is no scenario latency');
  defineByScenario(command, [latency], bracketSchema, async (scenario, given) => {
    const { repeat, isProving: _, ...plan } = planRun(scenario, given);
    await printComparison(scenario, plan.fleet, [plan.target], {
      work: (context) => bracket(plan, Math.max(repeat, minRuns), context),
      print: renderBracket,
    });
  });
}
