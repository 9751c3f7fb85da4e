import type { Command } from 'commander';
import { type Scenario, scenarios } from '../contract/catalog.js';
import { exitCodes } from '../contract/exit-codes.js';
import { ProblemError, problem } from '../contract/problems.js';
import { find } from '../driver/find.js';
import { planRun, planSchema } from '../driver/plan.js';
import { parseThreshold, thresholdForms } from '../measure/threshold.js';
import { renderFinding } from '../report/finding.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { withFleet } from './fleet.js';
import { Progress } from './progress.js';
import { defineByScenario } from './scenario-command.js';
import { interruptSignal } from './signals.js';
import { terminalStyle } from './style.js';

/** Scenarios whose load is a rate: what can be searched. */
const searchable = scenarios.filter((scenario) => 'ratePerSecond' in scenario.options.shape);

/** What a run takes, less a form that a search is not printed in, and promises: a search is made to break its one limit. */
const schemaOf = (scenario: Scenario) => planSchema(scenario).omit({ isMarkdown: true, thresholds: true });

/** `ringside find SCENARIO --limit …`: the rate at which a figure passes its limit, each try a kept run. */
export function define(command: Command): void {
  const subs = defineByScenario(command, searchable, schemaOf, async (scenario, given, sub) => {
    const subjects = { metrics: Object.keys(scenario.metrics), counts: [], shares: [] };
    const text = sub.opts<{ limit: string }>().limit;
    const limit = parseThreshold(text, subjects);
    if (limit?.kind !== 'figure') {
      const expected = thresholdForms(subjects);
      throw new ProblemError([problem('badOption', `--limit: expected ${expected}, received ${text}`)]);
    }
    const plan = planRun(scenario, given);
    const interrupt = interruptSignal(exitCodes.interrupted.code);
    const progress = new Progress(`find ${scenario.name} ${plan.target.name}`);
    const { finding, directory } = await withFleet(plan.fleet, [plan.target], (shards) =>
      find(plan, limit, {
        shards,
        childDescriptors: descriptorLimit(),
        interrupt,
        progress: (view) => progress.show(view),
        tried: () => progress.end(),
      }),
    ).finally(() => progress.end());
    const found = plan.fleet.isJson ? JSON.stringify(finding, null, 2) : renderFinding(finding, terminalStyle());
    process.stdout.write(`${found}\n`);
    process.stderr.write(`kept in ${directory}\n`);
    const edges = [finding.highestKept, finding.lowestBroken];
    const isDoubtful = finding.points.some((point) => point.rig !== 'clean' && edges.includes(point.ratePerSecond));
    process.exitCode = exitCodes[interrupt.aborted ? 'interrupted' : isDoubtful ? 'rig' : 'clean'].code;
  });
  for (const sub of subs) {
    sub.requiredOption('--limit <limit>', 'what must be kept, such as handshake.p99<50ms; the search starts at --rate');
  }
}
