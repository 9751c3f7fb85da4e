import type { Command } from 'commander';
import { scenarios } from '../contract/catalog.js';
import { exitCodes, worstExit } from '../contract/exit-codes.js';
import { exitOf } from '../driver/assess.js';
import { compare } from '../driver/compare.js';
import { compareSchema, planCompare } from '../driver/plan.js';
import { renderComparison } from '../report/comparison.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { withFleet } from './fleet.js';
import { Progress } from './progress.js';
import { defineByScenario } from './scenario-command.js';
import { interruptSignal } from './signals.js';
import { terminalStyle } from './style.js';

/** `ringside compare SCENARIO`: several targets, repeats interleaved, one scoreboard on stdout. */
export function define(command: Command): void {
  defineByScenario(command, scenarios, compareSchema, async (scenario, given) => {
    const { plans, repeat } = planCompare(scenario, given);
    const fleet = plans[0]?.fleet;
    if (!fleet) throw new Error('a comparison has at least one target');
    const interrupt = interruptSignal(exitCodes.interrupted.code);
    let progress = new Progress(scenario.name);
    const { comparison, directory } = await withFleet(
      fleet,
      plans.map((plan) => plan.target),
      (shards) =>
        compare(plans, repeat, {
          shards,
          childDescriptors: descriptorLimit(),
          interrupt,
          progress: (view) => progress.show(view),
          begins: (plan, number, of) => {
            progress = new Progress(`${number}/${of} ${plan.target.name}`);
          },
          finished: () => progress.end(),
        }),
    ).finally(() => progress.end());
    const text = fleet.isJson
      ? JSON.stringify(comparison, null, 2)
      : renderComparison(comparison, scenario, terminalStyle());
    process.stdout.write(`${text}\n`);
    process.stderr.write(`kept in ${directory}\n`);
    const ends = comparison.rows.flatMap((row) =>
      row.state === 'failed' ? ['input' as const] : row.runs.map((each) => exitOf(each.result, scenario)),
    );
    // A scoreboard on which nothing ran is no success.
    if (ends.length === 0) ends.push('input');
    process.exitCode = exitCodes[interrupt.aborted ? 'interrupted' : worstExit(ends)].code;
  });
}
