import { availableParallelism } from 'node:os';
import { type ExitName, worstExit } from '../../contract/exit-codes.js';
import { minRuns } from '../../measure/stats/estimate.js';
import { renderComparison } from '../../render/comparison.js';
import { renderMarkdown } from '../../render/exports/markdown.js';
import type { Style } from '../../render/words/style.js';
import type { Comparison } from '../../results/comparison.js';
import { type Scenario, scenarios } from '../../run/catalog.js';
import { compareSchema, type Plan, planCompare } from '../../run/plan/plan.js';
import type { FleetOptions, RepeatOptions } from '../../run/plan/run-options.js';
import type { ScenarioCommand, Session } from '../command.js';
import { hasMoved, leastCores, planProof, proofShards, prove } from '../run/prove.js';
import { type CompareContext, compare, comparisonExit } from './compare.js';

/** `ringside compare SCENARIO`: several targets, repeats interleaved, one scoreboard on stdout. */
export const command: ScenarioCommand = {
  scenarios,
  schemaOf: compareSchema,
  run(session, scenario, given) {
    const { plans, ...repeats } = planCompare(scenario, given);
    return scoreboard(session, scenario, plans, repeats);
  },
};

/** What makes a comparison, and how the terminal shows it. */
interface Making {
  fleet: FleetOptions;
  work(context: CompareContext): Promise<{ comparison: Comparison; directory: string }>;
  print?(comparison: Comparison, scenario: Scenario, style: Style): string;
}

/** Runs the plans interleaved, on one rig or on several, and prints their scoreboard. */
export async function scoreboard(
  session: Session,
  scenario: Scenario,
  plans: readonly Plan[],
  { repeat, isProving }: RepeatOptions,
): Promise<ExitName> {
  const [first] = plans;
  if (!first) throw new Error('a scoreboard has at least one target');
  const { fleet } = first;
  if (isProving) {
    const cores = fleet.shards.length > 0 ? await session.withShards(fleet, [], leastCores) : availableParallelism();
    const proof = planProof(plans, cores);
    return measureComparison(session, scenario, plans, {
      fleet: { ...fleet, localShards: proofShards(proof) },
      work: (context) => prove(proof, Math.max(repeat, minRuns), context),
    });
  }
  const entrants = plans.map((plan) => ({ plan, label: plan.target.name }));
  return measureComparison(session, scenario, plans, { fleet, work: (context) => compare(entrants, repeat, context) });
}

/** Makes a comparison and prints it; its worst run, or a figure that moved with the rig, decides the exit. */
export function measureComparison(
  session: Session,
  scenario: Scenario,
  plans: readonly Plan[],
  { fleet, work, print = renderComparison }: Making,
): Promise<ExitName> {
  return session.measure({
    label: scenario.name,
    fleet,
    targets: plans.map(({ target }) => target),
    work: async (context) => {
      const { comparison, directory } = await work(context);
      const worst = worstExit([
        comparisonExit(comparison, scenario, fleet.isStrict),
        hasMoved(comparison) ? 'rig' : 'clean',
      ]);
      return {
        document: comparison,
        text: (style) => print(comparison, scenario, style),
        markdown: () => renderMarkdown(comparison, scenario),
        directory,
        exit: context.interrupt.aborted ? 'interrupted' : worst,
      };
    },
  });
}
