import { setTimeout as delay } from 'node:timers/promises';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { type Holder, holderInWords } from '../../contract/shard.js';
import { duration } from '../../units/list.js';
import { NoAnswer } from './no-answer.js';
import type { ShardClient } from './shard-client.js';
import { thisDriver } from './this-driver.js';

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

/** Resolves when no other driver holds any of the shards. Throws `ProblemError` if one still does after the wait. */
export async function untilFree(shards: readonly ShardClient[], context: HoldContext): Promise<void> {
  const { waitMs = 0, note = () => undefined } = context;
  const overMs = performance.now() + waitMs;
  let held = await heldOnes(shards, 0);
  if (held.length === 0) return;
  if (waitMs > 0) note(`waiting for at most ${duration.print(waitMs)}: ${held.map(({ text }) => text).join('; ')}`);
  while (held.length > 0) {
    if (context.interrupt.aborted)
      throw new ProblemError([problem('waitInterrupted', `the wait was ended: ${held[0]?.text}`)]);
    const leftMs = overMs - performance.now();
    if (leftMs <= 0) throw new ProblemError(held.map(({ problem: each }) => each));
    // One held shard is enough to wait at: the others are asked when it is free.
    const first = held.slice(0, 1).map(({ shard }) => shard);
    held = await heldOnes(first, Math.min(askForMs, Math.ceil(leftMs)));
    if (held.length > 0) continue;
    await delay(freeForMs + Math.random() * mostJitterMs, undefined, { signal: context.interrupt }).catch(() => null);
    held = await heldOnes(shards, 0);
  }
  note('the shards are free');
}

interface Held {
  shard: ShardClient;
  text: string;
  problem: Problem;
}

async function heldOnes(shards: readonly ShardClient[], waitMs: number): Promise<Held[]> {
  const holders = await Promise.all(shards.map((shard) => holderOf(shard, waitMs)));
  return shards.flatMap((shard, index): Held[] => {
    const holder = holders[index];
    if (!holder || holder.driver === thisDriver) return [];
    const text = `${shard.url}: ${holderInWords(holder)}`;
    return [{ shard, text, problem: problem('shardBusy', text) }];
  });
}

/** Who holds a shard; nobody if it does not say: what is wrong with it shows when it gets its job. */
async function holderOf(shard: ShardClient, waitMs: number): Promise<Holder | null> {
  try {
    return (await shard.now(waitMs)).holder;
  } catch (error) {
    if (error instanceof NoAnswer || error instanceof ProblemError) return null;
    throw error;
  }
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
