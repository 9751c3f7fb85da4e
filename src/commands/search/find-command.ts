import type { Command } from 'commander';
import { contextOf } from '../../cli/context.js';
import { withFleet } from '../../cli/fleet.js';
import { Keeping } from '../../cli/keeping.js';
import { apart } from '../../cli/options/given.js';
import { defineByScenario } from '../../cli/options/scenario-command.js';
import { interruptSignal } from '../../cli/signals.js';
import { Progress } from '../../cli/terminal/progress.js';
import { terminalStyle } from '../../cli/terminal/style.js';
import { exitCodes } from '../../contract/exit-codes.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { resolveOrRefuse, together } from '../../contract/refusal.js';
import { parseThreshold } from '../../measure/threshold.js';
import { refuseUnwritable } from '../../results/keep.js';
import { type Scenario, scenarios } from '../../run/catalog.js';
import { type Given, planRun, planSchema } from '../../run/plan/plan.js';
import { findOptions } from '../../run/plan/run-options.js';
import { lackingSamples, thresholdProblem } from '../../run/plan/thresholds.js';
import { type FigureThreshold, find, saysNothing } from './find.js';
import { renderFinding } from './print-finding.js';

/** Scenarios whose load is a rate: what can be searched. */
const searchable = scenarios.filter((scenario) => 'ratePerSecond' in scenario.options.shape);

/** What a run takes, less a form that a search is not printed in, and promises: a search is made to break its one limit. */
const schemaOf = (scenario: Scenario) =>
  planSchema(scenario).omit({ isMarkdown: true, thresholds: true }).extend(findOptions.shape);

/** `ringside find SCENARIO --limit …`: the rate at which a figure passes its limit, each try a kept run. */
export function define(command: Command): void {
  defineByScenario(command, searchable, schemaOf, findIn, limitExample);
}

const limitExample = ({ metrics }: Scenario): string => ` --limit '${Object.keys(metrics)[0]}.p99<50ms'`;

function limitOf(scenario: Scenario, given: Given): FigureThreshold {
  const { limit: text } = resolveOrRefuse(findOptions, given);
  const subjects = { metrics: Object.keys(scenario.metrics), counts: [], shares: [] };
  const limit = parseThreshold(text, subjects);
  if (limit?.kind !== 'figure') throw new ProblemError([thresholdProblem('--limit', text, subjects)]);
  return limit;
}

async function findIn(scenario: Scenario, given: Given): Promise<void> {
  const { own, rest } = apart(findOptions, given);
  const [limit, plan] = together(
    () => limitOf(scenario, own),
    () => planRun(scenario, rest),
  );
  const lacking = lackingSamples(limit, scenario, plan.options);
  if (lacking !== undefined) throw new ProblemError([problem('badOption', `--limit: ${lacking}`)]);
  await refuseUnwritable({ '--results': plan.fleet.resultsDir });
  const interrupt = interruptSignal(exitCodes.interrupted.code);
  const kept = new Keeping();
  const progress = new Progress(`find ${scenario.name} ${plan.target.name}`);
  const { finding, directory } = await withFleet(plan.fleet, [plan.target], (shards) =>
    find(plan, limit, {
      ...contextOf(progress, interrupt, kept),
      shards,
      tried: () => progress.end(),
    }),
  ).finally(() => progress.end());
  const found = plan.fleet.isJson ? JSON.stringify(finding, null, 2) : renderFinding(finding, terminalStyle());
  process.stdout.write(`${found}\n`);
  kept.tell(directory);
  const edges = [finding.highestKept, finding.lowestBroken];
  const isDoubtful = finding.points.some(
    (point) => saysNothing(point) || (point.rig !== 'clean' && edges.includes(point.ratePerSecond)),
  );
  process.exitCode = kept.exitCode(interrupt.aborted ? 'interrupted' : isDoubtful ? 'rig' : 'clean');
}
