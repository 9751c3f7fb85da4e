import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { contractVersion, type JobModule, type JobRequest, type RunPlan } from '../../contract/job.js';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';
import { holderInWords, type ShardHolder, type ShardInfo } from '../../contract/shard.js';
import { firstFew } from '../../units/text.js';
import { duration } from '../../units/unit.js';
import type { Plan } from '../plan/plan.js';
import type { LiveTarget } from '../server/start-target.js';
import { Member, pollEveryMs } from './member.js';
import { shardAnswer } from './partial-body.js';
import { type ShardClient, thisDriver } from './shard-client.js';

/** Wait of one request at a held shard. A waiting driver thus sends six requests a minute. */
const askForMs = 10_000;
/** A command of several runs releases its shards between them, so they count as free only after this time. */
const freeForMs = 5000;
const mostJitterMs = 2000;
const againAfterMs = 1000;

export interface HoldContext {
  waitMs?: number | undefined;
  note?(line: string): void;
  interrupt: AbortSignal;
}

interface Hold {
  holder: ShardHolder;
  shards: ShardClient[];
}

/** Resolves when no other driver holds any of the shards. Throws `ProblemError` if one still does after the wait. */
export async function untilFree(shards: readonly ShardClient[], context: HoldContext): Promise<void> {
  const { waitMs = 0, note = () => undefined, interrupt } = context;
  const overMs = performance.now() + waitMs;
  let noted = '';
  for (;;) {
    const holds = await holdsOf(shards);
    const [first] = holds;
    if (!first) break;
    const leftMs = overMs - performance.now();
    if (interrupt.aborted) throw problemError('waitInterrupted', `the wait was ended: ${holdInWords(first)}`);
    if (leftMs <= 0) throw new ProblemError(holds.map((hold) => problem('shardBusy', holdInWords(hold))));
    const runs = holds.map(({ holder }) => holder.runId).join(' ');
    const left = duration.print(Math.ceil(leftMs / 1000) * 1000);
    if (runs !== noted) note(`waiting up to ${left}; ${firstFew(holds.map(holdInWords))}`);
    noted = runs;
    // Waiting at one held shard is enough. The others are asked when it is free.
    const [shard] = first.shards as [ShardClient];
    if (await holderOf(shard, Math.min(askForMs, Math.ceil(leftMs)), interrupt)) continue;
    await delay(freeForMs + Math.random() * mostJitterMs, undefined, { signal: interrupt }).catch(() => null);
  }
  if (noted !== '') note('the shards are free');
}

async function holdsOf(shards: readonly ShardClient[]): Promise<Hold[]> {
  const holders = await Promise.all(shards.map((shard) => holderOf(shard)));
  const byRun = new Map<string, Hold>();
  for (const [index, holder] of holders.entries()) {
    if (!holder || holder.driver === thisDriver) continue;
    const hold = byRun.get(holder.runId) ?? { holder, shards: [] };
    hold.shards.push(shards[index] as ShardClient);
    byRun.set(holder.runId, hold);
  }
  return [...byRun.values()];
}

function holdInWords({ holder, shards }: Hold): string {
  const urls = shards.map(({ url }) => url);
  return `${firstFew(urls, ', ')}: held by ${holderInWords(holder)}`;
}

/** Returns the holder of a shard; null if the shard does not answer. Its fault shows when it receives its job. */
async function holderOf(shard: ShardClient, waitMs = 0, interrupt?: AbortSignal): Promise<ShardHolder | null> {
  return shard.now(waitMs, interrupt).then(
    ({ holder }) => holder,
    () => null,
  );
}

/** Takes shards that another driver may hold. Tries again while another driver is quicker. */
export async function whenFree<T>(
  shards: readonly ShardClient[],
  take: () => Promise<T>,
  context: HoldContext,
): Promise<T> {
  const overMs = performance.now() + (context.waitMs ?? 0);
  for (;;) {
    try {
      return await take();
    } catch (error) {
      const leftMs = overMs - performance.now();
      if (!isBusy(error) || leftMs <= 0) throw error;
      await delay(againAfterMs);
      await untilFree(shards, { ...context, waitMs: leftMs });
    }
  }
}

/** Takes the shard with the smallest boot id first. Of two drivers at once, one thus gets all shards. */
export function leastFirst<T>(
  bootIds: readonly string[],
  take: (index: number) => Promise<T>,
): (index: number) => Promise<T> {
  const first = bootIds.reduce((least, bootId, index) => (bootId < (bootIds[least] ?? '') ? index : least), 0);
  const taken = take(first);
  return async (index) => {
    if (index === first) return taken;
    // The other shards may have any other fault too, and all of them are reported.
    await taken.catch((error: unknown) => {
      if (isBusy(error)) throw error;
    });
    return take(index);
  };
}

export function isBusy(error: unknown): boolean {
  return error instanceof ProblemError && error.problems.some(({ code }) => code === 'shardBusy');
}

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
