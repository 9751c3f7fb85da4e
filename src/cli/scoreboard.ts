import { availableParallelism } from 'node:os';
import type { Scenario } from '../contract/catalog.js';
import type { Comparison } from '../contract/comparison.js';
import { exitCodes, worstExit } from '../contract/exit-codes.js';
import { type CompareContext, compare, comparisonExit } from '../driver/compare.js';
import { refuseUnwritable } from '../driver/keep.js';
import type { Plan } from '../driver/plan.js';
import { hasMoved, leastCores, planProof, proofShards, prove } from '../driver/prove.js';
import type { FleetOptions, RepeatOptions } from '../driver/run-options.js';
import type { PlannedTarget } from '../driver/target/planned-target.js';
import { minRuns } from '../measure/estimate.js';
import { renderComparison } from '../report/comparison.js';
import type { Style } from '../report/style.js';
import { contextOf } from './context.js';
import { withFleet } from './fleet.js';
import { Keeping } from './keeping.js';
import { printerOf } from './output.js';
import { Progress } from './progress.js';
import { interruptSignal } from './signals.js';
import { terminalStyle } from './style.js';

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
