import { share } from '../../measure/share.js';
import { intervalAt, ratioOf } from '../../measure/stats/estimate.js';
import type { Comparison, ComparisonRow, Pair, Proof } from '../../results/comparison.js';
import { defaultWorkers, type Scenario } from '../../run/catalog.js';
import type { Plan } from '../../run/plan/plan.js';
import { greetAll } from '../../run/shards/greet.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { type CompareContext, compare, type Entrant, keepComparison } from '../compare/compare.js';
import { judge } from '../diff/significance.js';

type Variant = Proof['variants'][number];

/** The same load on rigs of several sizes. `shards` is how many of the given bench-runners each takes, from the first. */
export interface ProofPlan {
  variants: (Variant & { plan: Plan })[];
  notTried: string[];
}

/**
 * With which rigs to run each plan again: with twice the event loops a shard, as far as there are clients for them, then with twice the shards where
 * they can be started here, have cores to run on, and make more loops of the clients. Pure; `cores` are those of the smallest machine that has a shard.
 */
export function planProof(plans: readonly Plan[], cores: number): ProofPlan {
  const notTried: string[] = [];
  const variants = plans.flatMap((plan) => {
    const given = plan.fleet.shards.length;
    const shards = given > 0 ? given : plan.fleet.localShards;
    const { clients } = plan.scenario.demand(plan.options, plan.load);
    const each = share(clients, 0, shards);
    const workers = Math.min(each, plan.load.workers ?? defaultWorkers(each, cores));
    const variant = (workersPerShard: number, of: number): ProofPlan['variants'][number] => ({
      label: `${plan.target.name}, ${of} × ${workersPerShard} loops`,
      target: plan.target.name,
      workersPerShard,
      shards: of,
      isBase: workersPerShard === workers && of === shards,
      plan: { ...plan, load: { ...plan.load, workers: workersPerShard } },
    });
    const split = Math.min(workers, share(clients, 0, 2 * shards));
    // Each shard has a publisher beside its workers.
    const loops = 2 * shards * (split + 1);
    const noShards =
      given > 0
        ? 'twice the shards: those of --shard are all there are'
        : cores < loops
          ? `twice the shards: they would be ${loops} loops on ${cores} cores`
          : loopsInAll(clients, split, 2 * shards) <= loopsInAll(clients, workers, shards)
            ? `twice the shards: ${clients} ${clients === 1 ? 'client makes' : 'clients make'} no more loops of them`
            : undefined;
    const noLoops =
      each < 2 * workers
        ? `twice the loops: ${each} ${each === 1 ? 'client' : 'clients'} a shard leave some of them idle`
        : undefined;
    for (const why of [noLoops, noShards]) if (why !== undefined && !notTried.includes(why)) notTried.push(why);
    return [
      variant(workers, shards),
      ...(noLoops === undefined ? [variant(2 * workers, shards)] : []),
      ...(noShards === undefined ? [variant(split, 2 * shards)] : []),
    ];
  });
  return { variants, notTried };
}

/** A shard has no more loops than it has clients. */
function loopsInAll(clients: number, workers: number, shards: number): number {
  let loops = 0;
  for (let index = 0; index < shards; index++) loops += Math.min(workers, share(clients, index, shards));
  return loops;
}

/** Of the smallest machine of a fleet: without `--workers`, a shard's own cores say how many loops it has. Throws `ProblemError` as a run would. */
export async function leastCores(shards: readonly ShardClient[]): Promise<number> {
  const infos = await greetAll(shards);
  return Math.min(...infos.map(({ machine }) => machine.cores));
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
  const [first] = variants;
  if (!first) throw new Error('a proof needs a plan');
  const { comparison, directory } = await compare(entrants, repeat, context);
  const of = (label: string): Variant | undefined => variants.find((each) => each.label === label);
  const proof: Proof = {
    variants: variants.map(({ plan: _, ...variant }) => variant),
    notTried,
    against: heldAtOnce(
      comparison.pairs.filter(({ a, b }) => of(a)?.target === of(b)?.target && of(a)?.isBase === true),
      comparison.rows,
      first.plan.scenario,
    ),
  };
  const proven = { ...comparison, pairs: comparison.pairs.filter(({ a, b }) => of(a)?.isBase && of(b)?.isBase), proof };
  await keepComparison(directory, proven, context);
  return { comparison: proven, directory };
}

/** How often a proof calls a figure moved that did not. */
const falseAlarms = 0.05;

/**
 * The same pairs, in intervals so wide that all of them hold at once as often as one of 95 % does (Bonferroni): each pair may err by its part of
 * what the whole proof may. Pure.
 */
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

/** Whether a figure differed between rigs by more than the noise: then the rig wrote part of it. */
export function hasMoved({ proof }: Comparison): boolean {
  return proof?.against.some(({ isBeyondNoise }) => isBeyondNoise) ?? false;
}
