import { ProblemError } from '../../contract/problems.js';
import { type Member, pollEveryMs } from './member.js';

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
