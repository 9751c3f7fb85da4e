import { availableParallelism } from 'node:os';
import { defaultWorkers } from '../contract/catalog.js';
import type { Comparison, Proof } from '../contract/comparison.js';
import { share } from '../measure/share.js';
import { type CompareContext, compare, type Entrant, keepComparison } from './compare.js';
import type { Plan } from './plan.js';

type Variant = Proof['variants'][number];

/** The same load on rigs of several sizes. `shards` is how many of the given bench-runners each takes, from the first. */
export interface ProofPlan {
  variants: (Variant & { plan: Plan })[];
  notTried: string[];
}

/**
 * With which rigs to run each plan again: with twice the event loops a shard, then with twice the shards where they can be started here and have
 * cores to run on. Pure; `cores` are those of this machine.
 */
export function planProof(plans: readonly Plan[], cores: number = availableParallelism()): ProofPlan {
  const notTried: string[] = [];
  const variants = plans.flatMap((plan) => {
    const given = plan.fleet.shards.length;
    const shards = given > 0 ? given : plan.fleet.localShards;
    const { clients } = plan.scenario.demand(plan.options, plan.load);
    const workers = plan.load.workers ?? defaultWorkers(share(clients, 0, shards), cores);
    const variant = (workersPerShard: number, of: number): ProofPlan['variants'][number] => ({
      label: `${plan.target.name}, ${of} × ${workersPerShard} loops`,
      target: plan.target.name,
      workersPerShard,
      shards: of,
      isBase: workersPerShard === workers && of === shards,
      plan: { ...plan, load: { ...plan.load, workers: workersPerShard } },
    });
    // Each shard has a publisher beside its workers.
    const loops = 2 * shards * (workers + 1);
    const lacking =
      given > 0
        ? 'twice the shards: those of --shard are all there are'
        : cores < loops
          ? `twice the shards: they would be ${loops} loops on ${cores} cores`
          : undefined;
    if (lacking !== undefined && !notTried.includes(lacking)) notTried.push(lacking);
    return [
      variant(workers, shards),
      variant(2 * workers, shards),
      ...(lacking === undefined ? [variant(workers, 2 * shards)] : []),
    ];
  });
  return { variants, notTried };
}

/** How many bench-runners the proof needs. */
export function proofShards({ variants }: ProofPlan): number {
  return Math.max(...variants.map(({ shards }) => shards));
}

/** Runs every variant `repeat` times, all interleaved, and holds each against the base of its target. */
export async function prove(
  { variants, notTried }: ProofPlan,
  repeat: number,
  context: CompareContext,
): Promise<{ comparison: Comparison; directory: string }> {
  const entrants = variants.map(
    ({ plan, label, shards }): Entrant => ({ plan, label, shards: context.shards.slice(0, shards) }),
  );
  const { comparison, directory } = await compare(entrants, repeat, context);
  const of = (label: string): Variant | undefined => variants.find((each) => each.label === label);
  const proof: Proof = {
    variants: variants.map(({ plan: _, ...variant }) => variant),
    notTried,
    against: comparison.pairs.filter(({ a, b }) => of(a)?.target === of(b)?.target && of(a)?.isBase === true),
  };
  const proven = { ...comparison, pairs: comparison.pairs.filter(({ a, b }) => of(a)?.isBase && of(b)?.isBase), proof };
  await keepComparison(directory, proven);
  return { comparison: proven, directory };
}

/** Whether a figure differed between rigs by more than the noise: then the rig wrote part of it. */
export function hasMoved({ proof }: Comparison): boolean {
  return proof?.against.some(({ isBeyondNoise }) => isBeyondNoise) ?? false;
}
