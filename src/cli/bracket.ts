import type { Command } from 'commander';
import { scenarioByName } from '../contract/catalog.js';
import { bracket } from '../driver/bracket.js';
import { bracketSchema, planRun } from '../driver/plan.js';
import { minRuns } from '../measure/estimate.js';
import { renderBracket } from '../report/bracket.js';
import { defineByScenario } from './scenario-command.js';
import { printComparison } from './scoreboard.js';

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
