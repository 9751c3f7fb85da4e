import { shareOf } from '../measure/share.js';
import { intervalAt, ratioOf } from '../measure/stats/estimate.js';
import type { Comparison, ComparisonRow, Pair, Proof } from '../results/comparison.js';
import type { Plan } from '../run/plan/plan.js';
import { greetAll } from '../run/shards/dispatch.js';
import type { ShardClient } from '../run/shards/shard-client.js';
import { defaultWorkers } from '../scenarios/load-options.js';
import type { Scenario } from '../scenarios/scenario.js';
import { plural } from '../units/text.js';
import type { ExperimentContext } from './cells.js';
import { compare, keepComparison } from './compare.js';
import { judge } from './significance.js';

type Variant = Proof['variants'][number];

/** Describes one load on rigs of several sizes. Each uses the first `shards` bench-runners. */
export interface ProofPlan {
  variants: (Variant & { plan: Plan })[];
  notTried: string[];
}

/** Plans twice the loops per shard, then twice the shards. `found` counts the bench-runners that the user gave. */
export function planProof(plans: readonly Plan[], cores: number, found?: number): ProofPlan {
  const notTried = new Set<string>();
  const variants = plans.flatMap((plan) => {
    const given = found ?? plan.fleet.shards.length;
    const shards = given > 0 ? given : plan.fleet.localShards;
    const { clients } = plan.scenario.demand(plan.options, plan.load);
    const each = shareOf(clients, 0, shards);
    const workers = Math.min(each, plan.load.workers ?? defaultWorkers(each, cores));
    const variant = (workersPerShard: number, of: number): ProofPlan['variants'][number] => ({
      label: `${plan.target.name}, ${of} × ${workersPerShard} loops`,
      target: plan.target.name,
      workersPerShard,
      shards: of,
      isBase: workersPerShard === workers && of === shards,
      plan: { ...plan, load: { ...plan.load, workers: workersPerShard } },
    });
    const split = Math.min(workers, shareOf(clients, 0, 2 * shards));
    // Each shard has a publisher beside its workers.
    const loops = 2 * shards * (split + 1);
    const tried = [variant(workers, shards)];
    if (each < 2 * workers) notTried.add(`twice the loops: ${plural(each, 'client')} per shard would leave some idle`);
    else tried.push(variant(2 * workers, shards));
    if (given > 0) notTried.add('twice the shards: --shard gives no more');
    else if (cores < loops) notTried.add(`twice the shards: ${loops} loops would share ${cores} cores`);
    else if (loopsInAll(clients, split, 2 * shards) <= loopsInAll(clients, workers, shards))
      notTried.add(`twice the shards: ${plural(clients, 'client')} would use no more loops`);
    else tried.push(variant(split, 2 * shards));
    return tried;
  });
  return { variants, notTried: [...notTried] };
}

function loopsInAll(clients: number, workers: number, shards: number): number {
  let loops = 0;
  for (let index = 0; index < shards; index++) loops += Math.min(workers, shareOf(clients, index, shards));
  return loops;
}

/** Returns the cores of the smallest machine of a fleet. Throws `ProblemError` as a run would. */
export async function leastCores(shards: readonly ShardClient[]): Promise<number> {
  const infos = await greetAll(shards);
  return Math.min(...infos.map(({ machine }) => machine.cores));
}

export function proofShards({ variants }: ProofPlan): number {
  return Math.max(...variants.map(({ shards }) => shards));
}

/** Runs every variant `repeat` times, interleaved, and compares each with the base of its target. */
export async function prove(
  { variants, notTried }: ProofPlan,
  repeat: number,
  context: ExperimentContext,
  resume?: string,
): Promise<{ comparison: Comparison; directory: string }> {
  const [first] = variants;
  if (!first) throw new Error('a proof needs a plan');
  const entrants = variants.map(({ shards, ...each }) => ({ ...each, shards: context.shards.slice(0, shards) }));
  const { comparison, directory } = await compare(entrants, { repeat }, context, { resume });
  const of = (label: string): Variant | undefined => variants.find((each) => each.label === label);
  const withBase = comparison.pairs.filter(({ a, b }) => of(a)?.target === of(b)?.target && of(a)?.isBase === true);
  const proof: Proof = {
    variants: variants.map(({ plan: _, ...variant }) => variant),
    notTried,
    against: heldAtOnce(withBase, comparison.rows, first.plan.scenario),
  };
  const proven = { ...comparison, pairs: comparison.pairs.filter(({ a, b }) => of(a)?.isBase && of(b)?.isBase), proof };
  await keepComparison(directory, proven, context);
  return { comparison: proven, directory };
}

/** Share of proofs that may report a moved figure although none moved. */
const falseAlarms = 0.05;

/** Returns the pairs with wider intervals, so that all of them hold at once in 95 % of proofs (Bonferroni). */
export function heldAtOnce(
  pairs: readonly Pair[],
  rows: readonly Pick<ComparisonRow, 'target' | 'runs'>[],
  { headline }: Pick<Scenario, 'headline'>,
): Pair[] {
  const level = 1 - falseAlarms / pairs.length;
  return pairs.flatMap((pair) => {
    const column = headline.find(({ title }) => title === pair.column);
    const [one, other] = [pair.a, pair.b].map((label) => {
      const runs = rows.find(({ target }) => target === label)?.runs.map(({ result }) => result) ?? [];
      return column && judge(column, runs)?.estimate;
    });
    if (!one || !other) return [];
    const interval = intervalAt(level, ratioOf(one, other));
    return { ...pair, interval, isBeyondNoise: interval[0] > 1 || interval[1] < 1 };
  });
}
