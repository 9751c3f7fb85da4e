import type { Scenario } from '../contract/catalog.js';
import { type ExitName, exitCodes, worstExit } from '../contract/exit-codes.js';
import { exitOf } from '../driver/assess.js';
import { type CompareContext, compare } from '../driver/compare.js';
import type { Plan } from '../driver/plan.js';
import { hasMoved, minProofRepeats, planProof, proofShards, prove } from '../driver/prove.js';
import type { RepeatOptions } from '../driver/run-options.js';
import { renderComparison } from '../report/comparison.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { withFleet } from './fleet.js';
import { Progress } from './progress.js';
import { interruptSignal } from './signals.js';
import { terminalStyle } from './style.js';

/** Runs the plans interleaved, on one rig or on several, prints their scoreboard on stdout, and sets the exit code by the worst of the runs and by what moved. */
export async function printScoreboard(
  scenario: Scenario,
  plans: readonly Plan[],
  { repeat, isProving }: RepeatOptions,
): Promise<void> {
  const [first] = plans;
  if (!first) throw new Error('a scoreboard has at least one target');
  const { fleet } = first;
  const proof = isProving ? planProof(plans) : undefined;
  const interrupt = interruptSignal(exitCodes.interrupted.code);
  let progress = new Progress(scenario.name);
  const { comparison, directory } = await withFleet(
    proof ? { ...fleet, localShards: proofShards(proof) } : fleet,
    plans.map((plan) => plan.target),
    (shards) => {
      const context: CompareContext = {
        shards,
        childDescriptors: descriptorLimit(),
        interrupt,
        progress: (view) => progress.show(view),
        begins: (label, number, of) => {
          progress = new Progress(`${number}/${of} ${label}`);
        },
        finished: () => progress.end(),
      };
      return proof
        ? prove(proof, Math.max(repeat, minProofRepeats), context)
        : compare(
            plans.map((plan) => ({ plan, label: plan.target.name })),
            repeat,
            context,
          );
    },
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
  if (hasMoved(comparison)) ends.push('rig');
  process.exitCode = exitCodes[interrupt.aborted ? 'interrupted' : worstExit(ends)].code;
}
