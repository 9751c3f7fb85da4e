import type { Scenario } from '../contract/catalog.js';
import type { Comparison } from '../contract/comparison.js';
import { exitCodes, worstExit } from '../contract/exit-codes.js';
import { type CompareContext, compare, comparisonExit } from '../driver/compare.js';
import type { Plan, PlannedTarget } from '../driver/plan.js';
import { hasMoved, planProof, proofShards, prove } from '../driver/prove.js';
import type { FleetOptions, RepeatOptions } from '../driver/run-options.js';
import { minRuns } from '../measure/estimate.js';
import { renderComparison } from '../report/comparison.js';
import type { Style } from '../report/style.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { withFleet } from './fleet.js';
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
  const proof = isProving ? planProof(plans) : undefined;
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

/** Makes a comparison on the shards of a fleet, prints it, and sets the exit code by the worst of its runs and by what moved. */
export async function printComparison(
  scenario: Scenario,
  fleet: FleetOptions,
  targets: readonly PlannedTarget[],
  { work, print }: Making,
): Promise<void> {
  const printer = printerOf(fleet);
  const interrupt = interruptSignal(exitCodes.interrupted.code);
  const progress = new Progress(scenario.name);
  const { comparison, directory } = await withFleet(fleet, targets, (shards) =>
    work({
      shards,
      childDescriptors: descriptorLimit(),
      interrupt,
      progress: (view) => progress.show(view),
      begins: (label, number, of) => {
        progress.begin(`${number}/${of} ${label}`);
      },
      finished: () => progress.end(),
    }),
  ).finally(() => progress.end());
  printer(comparison, scenario, () => print(comparison, scenario, terminalStyle()));
  process.stderr.write(`kept in ${directory}\n`);
  // What moved with the rig makes every figure of the board doubtful, those of clean runs as well.
  const worst = worstExit([comparisonExit(comparison, scenario), hasMoved(comparison) ? 'rig' : 'clean']);
  process.exitCode = exitCodes[interrupt.aborted ? 'interrupted' : worst].code;
}
