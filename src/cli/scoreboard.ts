import type { Scenario } from '../contract/catalog.js';
import { type ExitName, exitCodes, worstExit } from '../contract/exit-codes.js';
import { exitOf } from '../driver/assess.js';
import { compare } from '../driver/compare.js';
import type { Plan } from '../driver/plan.js';
import type { FleetOptions } from '../driver/run-options.js';
import { renderComparison } from '../report/comparison.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { withFleet } from './fleet.js';
import { Progress } from './progress.js';
import { interruptSignal } from './signals.js';
import { terminalStyle } from './style.js';

/** Runs the plans interleaved, prints their scoreboard on stdout, and sets the exit code by the worst of the runs. */
export async function printScoreboard(
  scenario: Scenario,
  plans: readonly Plan[],
  repeat: number,
  fleet: FleetOptions,
): Promise<void> {
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
  const ends: ExitName[] = comparison.rows.flatMap((row) => [
    ...row.runs.map((each) => exitOf(each.result, scenario)),
    ...(row.state === 'failed' ? (['input'] as const) : []),
  ]);
  // A scoreboard on which nothing ran is no success.
  if (ends.length === 0) ends.push('input');
  process.exitCode = exitCodes[interrupt.aborted ? 'interrupted' : worstExit(ends)].code;
}
