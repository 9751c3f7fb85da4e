import { setTimeout as delay } from 'node:timers/promises';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { firstFew, plural } from '../../units/text.js';
import { duration } from '../../units/unit.js';
import type { EngineCommands } from '../engines/engine-commands.js';
import type { ShardOptions } from '../plan/shard-options.js';
import { shardAnswer } from './dispatch.js';
import {
  type KnownShards,
  knownShards,
  type LookupAll,
  opener,
  refuseAmbiguous,
  type ShardAddress,
} from './shard-addresses.js';
import type { ShardClient } from './shard-client.js';

/** Interval for resolving addresses and asking bench-runners while some are missing. */
const askEveryMs = 1000;
const answerWithinMs = 5000;

export interface WaitContext {
  note(line: string): void;
  /** Shortest time between two equal lines. */
  noteEveryMs: number;
  interrupt(): AbortSignal;
}

/** Returns clients of all known bench-runners, or waits until `waitShards` are ready. Throws `ProblemError`. */
export async function openShards(
  asked: ShardOptions,
  engine: EngineCommands,
  context: WaitContext,
  resolve?: LookupAll,
): Promise<ShardClient[]> {
  const { waitShards } = asked;
  if (waitShards !== undefined) return readyShards(asked, waitShards, engine, context, resolve);
  const { clients, missing } = await openKnown(asked, engine, resolve);
  if (missing.length === 0) return clients;
  await Promise.all(clients.map((client) => client.close()));
  throw new ProblemError(missing);
}

/** Returns clients of the known bench-runners, and why others are missing. Throws `ProblemError` if none is known. */
export async function openKnown(
  asked: ShardOptions,
  engine: EngineCommands,
  resolve?: LookupAll,
): Promise<{ clients: ShardClient[]; missing: Problem[] }> {
  const { shards, missing } = await knownShards(asked, engine, resolve);
  if (shards.length === 0 && missing.length === 0)
    throw new ProblemError([problem('shardsMissing', `--shards-from ${asked.shardsFrom}: no bench-runner found`)]);
  const open = opener(asked);
  await refuseAmbiguous(shards, open, resolve);
  return { clients: shards.map(open), missing };
}

async function readyShards(
  asked: ShardOptions,
  wanted: number,
  engine: EngineCommands,
  { note, noteEveryMs, interrupt }: WaitContext,
  resolve?: LookupAll,
): Promise<ShardClient[]> {
  const open = opener(asked);
  const clients = new Map<string, ShardClient>();
  const fromMs = performance.now();
  const leftMs = (): number => fromMs + asked.waitShardsMs - performance.now();
  const limit = duration.print(asked.waitShardsMs);
  /** Asks one bench-runner. Throws for a wrong token, as that stays wrong. */
  const ask = async (shard: ShardAddress) => {
    const key = `${shard.url} ${shard.address}`;
    const client = clients.get(key) ?? open(shard);
    clients.set(key, client);
    try {
      const withinMs = Math.min(answerWithinMs, Math.max(askEveryMs, leftMs()));
      const { bootId } = await shardAnswer(client, client.info(withinMs));
      return { ready: [[bootId, client] as const], missing: [] };
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problems[0]?.code === 'unauthorized') throw error;
      // The next answer there may come from another process.
      clients.delete(key);
      await client.close();
      return { ready: [], missing: error.problems };
    }
  };
  let notedMs = Number.NEGATIVE_INFINITY;
  let kept: readonly ShardClient[] = [];
  try {
    for (;;) {
      const known = await knownNow(asked, engine, resolve);
      const answers = await Promise.all(known.shards.map(ask));
      const ready = [...new Map(answers.flatMap((each) => each.ready)).values()];
      const missing = [...answers.flatMap((each) => each.missing), ...known.missing];
      const soFar = `${ready.length} of ${plural(wanted, 'shard')} ready`;
      const refuseInterrupted = (): void => {
        if (interrupt().aborted)
          throw new ProblemError([problem('waitInterrupted', `${soFar} when the wait was ended`)]);
      };
      if (ready.length >= wanted) {
        if (missing.length > 0) note(`${soFar}, and go; ${left(missing)}`);
        await refuseAmbiguous(known.shards, open, resolve);
        kept = ready;
        return ready;
      }
      refuseInterrupted();
      if (leftMs() <= 0) {
        const first = missing.find(({ code }) => code === 'sourceFailed');
        const message = `${soFar} after ${limit}; ${left(missing)}`;
        throw new ProblemError([problem('shardsMissing', message, first?.hint)]);
      }
      if (performance.now() - notedMs >= noteEveryMs) {
        notedMs = performance.now();
        const waited = duration.print(Math.round((notedMs - fromMs) / 1000) * 1000);
        note(`${soFar} after ${waited} of ${limit}; ${left(missing)}`);
      }
      await delay(askEveryMs, undefined, { signal: interrupt() }).catch(() => null);
      refuseInterrupted();
    }
  } finally {
    const others = [...clients.values()].filter((client) => !kept.includes(client));
    await Promise.all(others.map((client) => client.close()));
  }
}

/** Returns the known bench-runners. A fault of the source may be gone in a moment, so it counts as missing. */
async function knownNow(...source: Parameters<typeof knownShards>): Promise<KnownShards> {
  return knownShards(...source).catch((error: unknown) => {
    if (error instanceof ProblemError) return { shards: [], missing: [...error.problems] };
    throw error;
  });
}

function left(missing: readonly Problem[]): string {
  if (missing.length === 0) return 'no more are known';
  return `missing: ${firstFew(missing.map(({ message }) => message))}`;
}
