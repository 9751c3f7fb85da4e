import { randomUUID } from 'node:crypto';
import { contractVersion, type JobRequest } from '../../contract/job.js';
import type { JobModule } from '../../contract/modules.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import type { RunPlan } from '../../contract/run-plan.js';
import type { ShardInfo } from '../../contract/shard.js';
import type { Plan } from '../plan/plan.js';
import type { LiveTarget } from '../server/live-target.js';
import { type HoldContext, leastFirst, whenFree } from './hold.js';
import { Member, pollEveryMs } from './member.js';
import { NoAnswer } from './partial-body.js';
import type { ShardClient } from './shard-client.js';
import { thisDriver } from './shard-identity.js';

export async function dispatch(
  plan: Plan,
  target: LiveTarget,
  shards: readonly ShardClient[],
  infos: readonly ShardInfo[],
  { runId, ...more }: { runId: string; plan?: RunPlan | undefined; modules?: JobModule[] },
  context: Pick<HoldContext, 'note' | 'interrupt'>,
): Promise<Member[]> {
  const { wsUrls, publishUrls, inProcessUrl, publishHeaders } = target;
  const [publishUrl, ...furtherPublishUrls] = publishUrls;
  const body = (index: number): JobRequest => ({
    contract: contractVersion,
    runId,
    idempotencyKey: randomUUID(),
    driver: thisDriver,
    scenario: plan.scenario.name,
    protocol: plan.target.protocol,
    protocolOptions: plan.target.protocolOptions ?? {},
    target: { wsUrls: [...wsUrls], publishUrl, furtherPublishUrls, inProcessUrl, publishHeaders },
    stream: `ringside-${runId}`,
    slice: { index, of: shards.length },
    seed: plan.fleet.seed,
    ...(plan.slots && { slots: plan.slots }),
    options: plan.options,
    load: { ...plan.load },
    ...more,
  });
  const bootIds = infos.map(({ bootId }) => bootId);
  const takeAll = () => {
    const take = leastFirst(bootIds, (index) => {
      const shard = shards[index] as ShardClient;
      return shardAnswer(shard, shard.post(body(index)));
    });
    return postAll(shards, async (shard, index) => {
      const jobId = await take(index);
      return new Member(shard, infos[index] as ShardInfo, jobId, plan.load.leaseMs);
    });
  };
  return whenFree(shards, takeAll, { ...context, waitMs: plan.fleet.waitMs });
}

/** Posts a job to all shards, and polls those that have it, as their leases run. If one refuses, ends the others. */
export async function postAll<Shard>(
  shards: readonly Shard[],
  post: (shard: Shard, index: number) => Promise<Member>,
): Promise<Member[]> {
  const members: Member[] = [];
  const polls = setInterval(() => {
    for (const member of members) void member.poll();
  }, pollEveryMs);
  const posted = await Promise.allSettled(
    shards.map(async (shard, index) => {
      const member = await post(shard, index);
      members.push(member);
      return member;
    }),
  );
  clearInterval(polls);
  const refusals = posted.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  if (refusals.length === 0) return posted.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  await Promise.all(members.map((member) => member.poll()));
  await Promise.all(members.map((member) => member.poll('cancel')));
  const bug = refusals.find((reason) => !(reason instanceof ProblemError));
  if (bug !== undefined) throw bug;
  // A held shard is the reason for all shards that were not asked.
  throw new ProblemError([...new Set(refusals.flatMap((reason) => (reason as ProblemError).problems))]);
}

/** Returns the identity of each shard. Throws `ProblemError`, also for a shard that is given twice. */
export async function greetAll(shards: readonly ShardClient[]): Promise<ShardInfo[]> {
  const infos = await Promise.all(shards.map((shard) => shardAnswer(shard, shard.info())));
  const problems = infos.flatMap(({ bootId }, index): Problem[] => {
    const first = infos.findIndex((other) => other.bootId === bootId);
    if (first === index) return [];
    const [one, other] = [shards[first]?.url, shards[index]?.url];
    const both = one === other ? `${one} is given twice` : `${one} and ${other} are one and the same bench-runner`;
    return [problem('shardTwice', `--shard: ${both}`)];
  });
  if (problems.length > 0) throw new ProblemError(problems);
  return infos;
}

/** Returns a shard's answer. Throws `ProblemError` if the shard refuses or is silent. */
export async function shardAnswer<T>({ url }: ShardClient, asked: Promise<T>): Promise<T> {
  return asked.catch((error: unknown) => {
    if (error instanceof ProblemError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const message = error instanceof NoAnswer ? `${url} did not answer (${why})` : `${url}: ${why}`;
    throw new ProblemError([problem('shardUnreachable', message)]);
  });
}
