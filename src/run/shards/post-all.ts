import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError } from '../../contract/problems.js';
import { type Member, pollEveryMs } from './member.js';

/**
 * Posts to all shards at once. A shard's lease runs from its own answer on, so each is polled until the last one has answered. Throws `ProblemError`
 * where one refuses, after the others were cancelled.
 */
export async function postAll<Shard>(
  shards: readonly Shard[],
  post: (shard: Shard, index: number) => Promise<Member>,
): Promise<Member[]> {
  let unanswered = shards.length;
  const posted = await Promise.allSettled(
    shards.map(async (shard, index) => {
      const member = await post(shard, index).finally(() => unanswered--);
      while (unanswered > 0) {
        await delay(pollEveryMs);
        await member.poll();
      }
      return member;
    }),
  );
  const members = posted.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const refusals = posted.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  if (refusals.length === 0) return members;
  await Promise.all(members.map((member) => member.poll(true)));
  const foreign = refusals.find((reason) => !(reason instanceof ProblemError));
  if (foreign !== undefined) throw foreign;
  throw new ProblemError(refusals.flatMap((reason) => (reason as ProblemError).problems));
}
