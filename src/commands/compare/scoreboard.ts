import { availableParallelism } from 'node:os';
import { contextOf } from '../../cli/context.js';
import { withFleet } from '../../cli/fleet.js';
import { Keeping } from '../../cli/keeping.js';
import { interruptSignal } from '../../cli/signals.js';
import { printerOf } from '../../cli/terminal/output.js';
import { Progress } from '../../cli/terminal/progress.js';
import { terminalStyle } from '../../cli/terminal/style.js';
import { exitCodes, worstExit } from '../../contract/exit-codes.js';
import { minRuns } from '../../measure/stats/estimate.js';
import { renderComparison } from '../../render/comparison.js';
import type { Style } from '../../render/words/style.js';
import type { Comparison } from '../../results/comparison.js';
import { refuseUnwritable } from '../../results/keep.js';
import type { Scenario } from '../../run/catalog.js';
import type { Plan } from '../../run/plan/plan.js';
import type { FleetOptions, RepeatOptions } from '../../run/plan/run-options.js';
import type { PlannedTarget } from '../../run/target/planned-target.js';
import { hasMoved, leastCores, planProof, proofShards, prove } from '../run/prove.js';
import { type CompareContext, compare, comparisonExit } from './compare.js';

/** What makes a comparison, and how it is told. */
interface Making {
  work(context: CompareContext): Promise<{ comparison: Comparison; directory: string }>;
  print(comparison: Comparison, scenario: Scenario, style: Style): string;
}

/** Runs the plans interleaved, on one rig or on several, and prints their scoreboard on stdout. */
export async function printScoreboard(
  scenario: Scenario,
  plans: readonly Plan[],
  { repeat, isProving }: RepeatOptions,
): Promise<void> {
  const [first] = plans;
  if (!first) throw new Error('a scoreboard has at least one target');
  const proof = isProving ? planProof(plans, await coresUnder(first.fleet)) : undefined;
  const fleet = proof ? { ...first.fleet, localShards: proofShards(proof) } : first.fleet;
  const targets = plans.map((plan) => plan.target);
  await printComparison(scenario, fleet, targets, {
    work: (context) =>
      proof
        ? prove(proof, Math.max(repeat, minRuns), context)
        : compare(
            plans.map((plan) => ({ plan, label: plan.target.name })),
            repeat,
            context,
          ),
    print: renderComparison,
  });
}

/** Of the smallest machine under a shard; those that are yet to be started run here. */
async function coresUnder(fleet: FleetOptions): Promise<number> {
  return fleet.shards.length > 0 ? withFleet(fleet, [], leastCores) : availableParallelism();
}

/** Makes a comparison on the shards of a fleet, prints it, and sets the exit code by the worst of its runs and by what moved. */
export async function printComparison(
  scenario: Scenario,
  fleet: FleetOptions,
  targets: readonly PlannedTarget[],
  { work, print }: Making,
): Promise<void> {
  const printer = printerOf(fleet);
  await refuseUnwritable({ '--results': fleet.resultsDir });
  const interrupt = interruptSignal(exitCodes.interrupted.code);
  const progress = new Progress(scenario.name);
  const kept = new Keeping();
  const { comparison, directory } = await withFleet(fleet, targets, (shards) =>
    work({ ...contextOf(progress, interrupt, kept), shards }),
  ).finally(() => progress.end());
  printer(comparison, scenario, () => print(comparison, scenario, terminalStyle()));
  kept.tell(directory);
  // What moved with the rig makes every figure of the board doubtful, those of clean runs as well.
  const worst = worstExit([comparisonExit(comparison, scenario), hasMoved(comparison) ? 'rig' : 'clean']);
  process.exitCode = kept.exitCode(interrupt.aborted ? 'interrupted' : worst);
}
