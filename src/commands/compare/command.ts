import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { ExitName } from '../../contract/exit-codes.js';
import { ProblemError, problem } from '../../contract/problems.js';
import type { Cell, ExperimentContext } from '../../experiment/cells.js';
import { compare, comparisonExit } from '../../experiment/compare.js';
import { resumeNote } from '../../experiment/journal.js';
import { leastCores, planProof, proofShards, prove } from '../../experiment/prove.js';
import { minRuns } from '../../measure/stats/estimate.js';
import type { RatioThreshold } from '../../measure/threshold.js';
import { comparisonDocument } from '../../render/comparison.js';
import type { Document } from '../../render/document/document.js';
import type { Comparison } from '../../results/comparison.js';
import { readModules } from '../../run/flow/read-modules.js';
import { compareSchema, type Plan, planCompare, type Reading, valuesOf } from '../../run/plan/plan.js';
import {
  areShardsGiven,
  type CompareOptions,
  type FleetOptions,
  type PairedOptions,
  pairedOptions,
  type RepeatOptions,
} from '../../run/plan/run-options.js';
import { withModules } from '../../scenarios/flow/index.js';
import { scenarios } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { CommandSession, ScenarioCommand } from '../command.js';
import { keysOfRuns, unfitFor } from './paired.js';

/** `ringside compare SCENARIO`: runs several targets, repeats interleaved, and prints one scoreboard on stdout. */
export const command: ScenarioCommand = {
  scenarios,
  schemaOf: (scenario) =>
    z.strictObject({ ...compareSchema(scenario).shape, ...(scenario.slots && pairedOptions.shape) }),
  async run(session, named, read, files) {
    const { slots } = named;
    const paired = valuesOf(pairedOptions, read);
    const design = slots ? paired.design : 'runs';
    const modules = await readModules(named, files);
    const { plans, ...repeats } = planCompare(named, read, [], design, modules);
    const scenario = withModules(named, modules);
    if (!slots) return scoreboard(session, scenario, plans, repeats);
    const wrong = [
      ...foreignTo(scenario, design, read),
      ...(design === 'paired' ? unfitFor(slots, paired, firstOf(plans)) : []),
    ];
    if (wrong.length > 0) throw new ProblemError(wrong.map((text) => problem('badOption', text)));
    if (design === 'runs') return scoreboard(session, scenario, plans, repeats);
    return measureComparison(session, scenario, plans, {
      fleet: firstOf(plans).fleet,
      work: (context) => compare(entrantsOf(plans), { slots, paired }, context, repeats),
    });
  },
};

function firstOf([first]: readonly Plan[]): Plan {
  if (!first) throw new Error('a comparison has at least one target');
  return first;
}

function foreignTo(scenario: Scenario, design: PairedOptions['design'], { sources, names }: Reading): string[] {
  const { design: _, ...ofPairs } = pairedOptions.shape;
  const [keys, other] = design === 'runs' ? [Object.keys(ofPairs), 'paired'] : [keysOfRuns(scenario), 'runs'];
  const given = keys.filter((key) => (sources[key] ?? 'default') !== 'default');
  return given.map((key) => `${names[key]}: goes with --design ${other}`);
}

interface Scoreboard extends RepeatOptions, Partial<Pick<CompareOptions, 'axis'>> {
  ratios?: readonly RatioThreshold[];
  /** Directory of a comparison to continue. */
  resume?: string | undefined;
}

/** Runs the plans interleaved, on one rig or on several, and prints their scoreboard. */
export async function scoreboard(
  session: CommandSession,
  scenario: Scenario,
  plans: readonly Plan[],
  { repeat, isProving, ratios = [], axis, resume }: Scoreboard,
): Promise<ExitName> {
  const { fleet } = firstOf(plans);
  if (!isProving)
    return measureComparison(session, scenario, plans, {
      fleet,
      work: (context) => compare(entrantsOf(plans), { repeat }, context, { ratios, axis, resume }),
    });
  const proof = areShardsGiven(fleet)
    ? await session.withShards(fleet, [], async (shards) => planProof(plans, await leastCores(shards), shards.length))
    : planProof(plans, availableParallelism());
  return measureComparison(session, scenario, plans, {
    fleet: { ...fleet, localShards: proofShards(proof) },
    work: (context) => prove(proof, Math.max(repeat, minRuns), context, resume),
  });
}

const entrantsOf = (plans: readonly Plan[]): Cell[] => plans.map((plan) => ({ plan, label: plan.target.name }));

interface Making {
  fleet: FleetOptions;
  work(context: ExperimentContext): Promise<{ comparison: Comparison; directory: string }>;
  documentOf?(comparison: Comparison, scenario: Scenario): Document;
}

/** Makes and prints a comparison. */
export function measureComparison(
  session: CommandSession,
  scenario: Scenario,
  plans: readonly Plan[],
  { fleet, work, documentOf = comparisonDocument }: Making,
): Promise<ExitName> {
  return session.measure({
    label: scenario.name,
    fleet,
    targets: plans.map(({ target }) => target),
    work: async (context) => {
      const { comparison, directory } = await work(context);
      const exit = context.interrupt.aborted ? 'interrupted' : comparisonExit(comparison, scenario, fleet.isStrict);
      return {
        data: comparison,
        document: documentOf(comparison, scenario),
        directory,
        report: async () => {
          const { keptPage } = await import('../report/command.js');
          return (await keptPage([directory], { isForced: false, isEveryRun: false })).page;
        },
        ...resumeNote(directory, exit),
        exit,
      };
    },
  });
}
