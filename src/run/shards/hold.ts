import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, problem } from '../../contract/problems.js';
import { holderInWords, type ShardHolder } from '../../contract/shard.js';
import { firstFew } from '../../units/text.js';
import { duration } from '../../units/unit.js';
import type { ShardClient } from './shard-client.js';
import { thisDriver } from './shard-identity.js';

/** One question waits this long at a held shard, so that a driver that waits asks six times a minute. */
const askForMs = 10_000;
/** A command of several runs lets go of its shards between them: they count as free after a while. */
const freeForMs = 5000;
const mostJitterMs = 2000;
const againAfterMs = 1000;

export interface HoldContext {
  /** How long to wait for shards that another driver holds; left out: not at all. */
  waitMs?: number | undefined;
  note?(line: string): void;
  interrupt: AbortSignal;
}

/** A run of another driver, and those of the shards that it holds. */
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
    if (runs !== noted) note(`waiting up to ${secondsLeft(leftMs)}; ${firstFew(holds.map(holdInWords))}`);
    noted = runs;
    // One held shard is enough to wait at: the others are asked when it is free.
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

function secondsLeft(ms: number): string {
  return duration.print(Math.ceil(ms / 1000) * 1000);
}

/** Who holds a shard; nobody if it does not say: what is wrong with it shows when it gets its job. */
async function holderOf(shard: ShardClient, waitMs = 0, interrupt?: AbortSignal): Promise<ShardHolder | null> {
  return shard.now(waitMs, interrupt).then(
    ({ holder }) => holder,
    () => null,
  );
}

/** Takes shards that may be held by another driver, which may be as quick as this one. */
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

/**
 * Takes the shard with the least boot id before all others, so that of two drivers that want the same shards at once
 * one gets them all. If that shard is held, no other is asked.
 */
export function leastFirst<T>(
  bootIds: readonly string[],
  take: (index: number) => Promise<T>,
): (index: number) => Promise<T> {
  const first = bootIds.reduce((least, bootId, index) => (bootId < (bootIds[least] ?? '') ? index : least), 0);
  const taken = take(first);
  return async (index) => {
    if (index === first) return taken;
    // What else is wrong with it, the others may have as well: all of that is worth telling.
    await taken.catch((error: unknown) => {
      if (isBusy(error)) throw error;
    });
    return take(index);
  };
}

/** Whether shards refused a job because they have another one. */
export function isBusy(error: unknown): boolean {
  return error instanceof ProblemError && error.problems.some(({ code }) => code === 'shardBusy');
}
