import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { type ExitName, worstExit, worstOfRuns } from '../../contract/exit-codes.js';
import { ProblemError, problem } from '../../contract/problems.js';
import type { Cell, ExperimentContext } from '../../experiment/cells.js';
import { compare, comparisonExit, ratioExit } from '../../experiment/compare.js';
import { resumeNote } from '../../experiment/journal.js';
import { pairedExit } from '../../experiment/paired/paired-exit.js';
import { hasMoved, leastCores, planProof, proofShards, prove } from '../../experiment/prove.js';
import { minRuns } from '../../measure/stats/estimate.js';
import type { RatioThreshold } from '../../measure/threshold.js';
import { comparisonDocument } from '../../render/comparison.js';
import type { Document } from '../../render/document/document.js';
import type { Comparison } from '../../results/comparison.js';
import { readModules } from '../../run/flow/read-modules.js';
import { compareSchema, type Plan, planCompare, type Reading, valuesOf } from '../../run/plan/plan.js';
import {
  areShardsGiven,
  type FleetOptions,
  type PairedOptions,
  pairedOptions,
  type RepeatOptions,
} from '../../run/plan/run-options.js';
import { lackingSamples } from '../../run/plan/thresholds.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { withModules } from '../../scenarios/flow/modules.js';
import { scenarios } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { Slots } from '../../scenarios/slots.js';
import { duration } from '../../units/unit.js';
import type { CommandSession, ScenarioCommand } from '../command.js';

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
    refuse([
      ...foreignTo(scenario, design, read),
      ...unfitFor(slots, paired, plans),
      ...uncarried(slots, paired, plans),
    ]);
    if (design === 'runs') return scoreboard(session, scenario, plans, repeats);
    const [first] = plans;
    if (!first) throw new Error('a comparison has at least one target');
    return measureComparison(session, scenario, plans, {
      fleet: first.fleet,
      work: (context) => compare(entrantsOf(plans), { slots, paired }, context, repeats),
    });
  },
};

/** Returns the options of whole runs. Starts, rounds and slots replace them in a paired comparison. */
function keysOfRuns({ slots }: Scenario): string[] {
  const ofSlots = Object.keys(slots?.options({ rounds: 1, warmUp: 0, roundMs: 1 }) ?? {});
  return ['repeat', 'isProving', ...ofSlots, ...(ofSlots.includes('broadcasts') ? ['durationMs'] : [])];
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new ProblemError(problems.map((text) => problem('badOption', text)));
}

function foreignTo(scenario: Scenario, design: PairedOptions['design'], { sources, names }: Reading): string[] {
  const { design: _, ...ofPairs } = pairedOptions.shape;
  const [keys, other] = design === 'runs' ? [Object.keys(ofPairs), 'paired'] : [keysOfRuns(scenario), 'runs'];
  const given = keys.filter((key) => (sources[key] ?? 'default') !== 'default');
  return given.map((key) => `${names[key]}: goes with --design ${other}`);
}

function unfitFor(slots: Slots, { design, slotMs }: PairedOptions, [plan]: readonly Plan[]): string[] {
  if (design === 'runs' || !plan) return [];
  const least = slots.leastSlotMs?.(plan.options) ?? 0;
  const isShort = slotMs !== undefined && slotMs < least;
  const [expected, received] = [duration.print(least), duration.print(slotMs ?? least)];
  return [
    ...(slots.contradictions?.(plan.options) ?? []),
    ...(isShort ? [`--slot: expected at least ${expected} for so many clients, received ${received}`] : []),
  ];
}

function uncarried(slots: Slots, { design, rounds }: PairedOptions, [plan]: readonly Plan[]): string[] {
  if (design === 'runs' || !plan) return [];
  const options = { ...plan.options, ...slots.options({ rounds, warmUp: 0, roundMs: 1000 }) };
  return plan.thresholds.flatMap((threshold) => {
    const lacking = lackingSamples(threshold, plan.scenario, options, 'use --design runs');
    return lacking === undefined ? [] : [`--threshold: ${lacking}`];
  });
}

interface Making {
  fleet: FleetOptions;
  work(context: ExperimentContext): Promise<{ comparison: Comparison; directory: string }>;
  documentOf?(comparison: Comparison, scenario: Scenario): Document;
}

interface Scoreboard extends RepeatOptions {
  ratios?: readonly RatioThreshold[];
  /** Directory of a comparison to continue. */
  resume?: string | undefined;
}

/** Runs the plans interleaved, on one rig or on several, and prints their scoreboard. */
export async function scoreboard(
  session: CommandSession,
  scenario: Scenario,
  plans: readonly Plan[],
  { repeat, isProving, ratios = [], resume }: Scoreboard,
): Promise<ExitName> {
  const [first] = plans;
  if (!first) throw new Error('a scoreboard has at least one target');
  const { fleet } = first;
  if (isProving) {
    const found = areShardsGiven(fleet) && (await session.withShards(fleet, [], coresOf));
    const proof = found ? planProof(plans, found.cores, found.shards) : planProof(plans, availableParallelism());
    return measureComparison(session, scenario, plans, {
      fleet: { ...fleet, localShards: proofShards(proof) },
      work: (context) => prove(proof, Math.max(repeat, minRuns), context, resume),
    });
  }
  return measureComparison(session, scenario, plans, {
    fleet,
    work: (context) => compare(entrantsOf(plans), { repeat }, context, { ratios, resume }),
  });
}

const entrantsOf = (plans: readonly Plan[]): Cell[] => plans.map((plan) => ({ plan, label: plan.target.name }));

async function coresOf(shards: readonly ShardClient[]): Promise<{ cores: number; shards: number }> {
  return { cores: await leastCores(shards), shards: shards.length };
}

/** Makes and prints a comparison. Its worst run, or a figure that moved with the rig, decides the exit. */
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
      const worst = comparison.paired
        ? pairedExit(comparison, fleet.isStrict)
        : worstOfRuns([
            worstExit([comparisonExit(comparison, scenario, fleet.isStrict), hasMoved(comparison) ? 'rig' : 'clean']),
            ratioExit(comparison),
          ]);
      const exit = context.interrupt.aborted ? 'interrupted' : worst;
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
