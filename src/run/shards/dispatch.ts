import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { contractVersion, type JobRequest } from '../../contract/job.js';
import { ProblemError } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import type { Plan } from '../plan/plan.js';
import type { LiveTarget } from '../target/live-target.js';
import { answerOf } from './greet.js';
import { Member, pollEveryMs } from './member.js';
import type { ShardClient } from './shard-client.js';

/** Posts every shard its slice of the job. */
export async function dispatch(
  plan: Plan,
  target: LiveTarget,
  shards: readonly ShardClient[],
  infos: readonly ShardInfo[],
  runId: string,
): Promise<Member[]> {
  const { wsUrls, publishUrls, inProcessUrl, publishHeaders } = target;
  const [publishUrl, ...furtherPublishUrls] = publishUrls;
  const body = (index: number): JobRequest => ({
    contract: contractVersion,
    runId,
    idempotencyKey: randomUUID(),
    driver: `${hostname()}/${process.pid}`,
    scenario: plan.scenario.name,
    protocol: plan.target.protocol,
    protocolOptions: plan.target.isOurs ? {} : plan.target.protocolOptions,
    target: { wsUrls: [...wsUrls], publishUrl, furtherPublishUrls, inProcessUrl, publishHeaders },
    stream: `ringside-${runId}`,
    slice: { index, of: shards.length },
    seed: plan.fleet.seed,
    options: plan.options,
    load: { ...plan.load },
  });
  return postAll(shards, async (shard, index) => {
    const jobId = await answerOf(shard, shard.post(body(index)));
    return new Member(shard, infos[index] as ShardInfo, jobId, plan.load.leaseMs);
  });
}

/**
 * Posts to all shards at once. A shard's lease starts with its own answer, so each is polled until the last one has
 * answered. If one refuses, the others are cancelled and a `ProblemError` is thrown.
 */
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
  await Promise.all(members.map((member) => member.poll(true)));
  const bug = refusals.find((reason) => !(reason instanceof ProblemError));
  if (bug !== undefined) throw bug;
  throw new ProblemError(refusals.flatMap((reason) => (reason as ProblemError).problems));
}
