import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, problem } from '../../contract/problems.js';
import { holderInWords, type ShardHolder } from '../../contract/shard.js';
import { firstFew } from '../../units/text.js';
import { duration } from '../../units/unit.js';
import type { ShardClient } from './shard-client.js';
import { thisDriver } from './shard-identity.js';

/** Wait of one request at a held shard. A waiting driver thus sends six requests a minute. */
const askForMs = 10_000;
/** A command of several runs releases its shards between them, so they count as free only after this time. */
const freeForMs = 5000;
const mostJitterMs = 2000;
const againAfterMs = 1000;

export interface HoldContext {
  /** Time to wait for shards that another driver holds. By default there is no wait. */
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
    if (interrupt.aborted)
      throw new ProblemError([problem('waitInterrupted', `the wait was ended: ${holdInWords(first)}`)]);
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
