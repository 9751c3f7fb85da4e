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
  type OpenShard,
  opener,
  refuseAmbiguous,
  type ShardAddress,
} from './shard-addresses.js';
import type { ShardClient } from './shard-client.js';

/** Interval for resolving addresses and asking bench-runners while some are missing. */
const askEveryMs = 1000;
const answerWithinMs = 5000;

/** Holds what a wait for shards needs from its command. */
export interface WaitContext {
  note(line: string): void;
  /** Shortest time between two equal lines. */
  noteEveryMs: number;
  interrupt(): AbortSignal;
}

/**
 * Returns clients of all known bench-runners. With `waitShards`, waits until that number is ready and returns the ready
 * ones. Throws `ProblemError`.
 */
export async function openShards(
  asked: ShardOptions,
  engine: EngineCommands,
  context: WaitContext,
  resolve?: LookupAll,
): Promise<ShardClient[]> {
  const { waitShards } = asked;
  if (waitShards !== undefined) return new Waiting(asked, waitShards, engine, context, resolve).ready();
  const { clients, missing } = await openKnown(asked, engine, resolve);
  if (missing.length === 0) return clients;
  await Promise.all(clients.map((client) => client.close()));
  throw new ProblemError(missing);
}

/**
 * Returns clients of all known bench-runners, and the reasons why others are missing. Throws `ProblemError`, also if
 * none is known.
 */
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

interface Looked {
  known: readonly ShardAddress[];
  ready: ShardClient[];
  missing: Problem[];
}

interface Asked {
  answer?: { bootId: string; client: ShardClient };
  problems?: readonly Problem[];
}

/** Searches for shards until enough of them answer. */
class Waiting {
  readonly #fromMs = performance.now();
  readonly #clients = new Map<string, ShardClient>();
  #notedMs = Number.NEGATIVE_INFINITY;
  readonly #open: OpenShard;

  constructor(
    private readonly asked: ShardOptions,
    private readonly wanted: number,
    private readonly engine: EngineCommands,
    private readonly context: WaitContext,
    private readonly resolve?: LookupAll,
  ) {
    this.#open = opener(asked);
  }

  async ready(): Promise<ShardClient[]> {
    let kept: readonly ShardClient[] = [];
    try {
      for (;;) {
        const { known, ready, missing } = await this.#look();
        if (ready.length >= this.wanted) {
          if (missing.length > 0) this.context.note(`${this.#soFar(ready.length)}, and go; ${left(missing)}`);
          await refuseAmbiguous(known, this.#open, this.resolve);
          kept = ready;
          return ready;
        }
        this.#goOn(ready.length, missing);
        await delay(askEveryMs, undefined, { signal: this.context.interrupt() }).catch(() => null);
        this.#refuseInterrupted(ready.length);
      }
    } finally {
      const others = [...this.#clients.values()].filter((client) => !kept.includes(client));
      await Promise.all(others.map((client) => client.close()));
    }
  }

  async #look(): Promise<Looked> {
    const { shards, missing } = await this.#known();
    const asked = await Promise.all(shards.map((shard) => this.#ask(shard)));
    const ready = new Map(asked.flatMap(({ answer }) => (answer ? [[answer.bootId, answer.client]] : [])));
    const silent = asked.flatMap(({ problems = [] }) => problems);
    return { known: shards, ready: [...ready.values()], missing: [...silent, ...missing] };
  }

  /** Returns the known bench-runners. A fault of the source may be gone in a moment, so it counts as missing. */
  async #known(): Promise<KnownShards> {
    try {
      return await knownShards(this.asked, this.engine, this.resolve);
    } catch (error) {
      if (error instanceof ProblemError) return { shards: [], missing: [...error.problems] };
      throw error;
    }
  }

  /** Asks one bench-runner. Throws for a wrong token, as that stays wrong. */
  async #ask(shard: ShardAddress): Promise<Asked> {
    const { url, address } = shard;
    const key = `${url} ${address}`;
    const known = this.#clients.get(key);
    const client = known ?? this.#open(shard);
    this.#clients.set(key, client);
    try {
      const { bootId } = await shardAnswer(
        client,
        client.info(Math.min(answerWithinMs, Math.max(askEveryMs, this.#leftMs))),
      );
      return { answer: { bootId, client } };
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problems[0]?.code === 'unauthorized') throw error;
      // The next answer there may come from another process.
      this.#clients.delete(key);
      await client.close();
      return { problems: error.problems };
    }
  }

  get #leftMs(): number {
    return this.#fromMs + this.asked.waitShardsMs - performance.now();
  }

  #soFar(ready: number): string {
    return `${ready} of ${plural(this.wanted, 'shard')} ready`;
  }

  #refuseInterrupted(ready: number): void {
    if (!this.context.interrupt().aborted) return;
    throw new ProblemError([problem('waitInterrupted', `${this.#soFar(ready)} when the wait was ended`)]);
  }

  /** Reports the missing bench-runners, or throws if the wait is over. */
  #goOn(ready: number, missing: readonly Problem[]): void {
    const { note, noteEveryMs } = this.context;
    this.#refuseInterrupted(ready);
    if (this.#leftMs <= 0) {
      const limit = duration.print(this.asked.waitShardsMs);
      const first = missing.find(({ code }) => code === 'sourceFailed');
      throw new ProblemError([
        problem('shardsMissing', `${this.#soFar(ready)} after ${limit}; ${left(missing)}`, first?.hint),
      ]);
    }
    if (performance.now() - this.#notedMs < noteEveryMs) return;
    this.#notedMs = performance.now();
    const waited = duration.print(Math.round((this.#notedMs - this.#fromMs) / 1000) * 1000);
    note(`${this.#soFar(ready)} after ${waited} of ${duration.print(this.asked.waitShardsMs)}; ${left(missing)}`);
  }
}

function left(missing: readonly Problem[]): string {
  if (missing.length === 0) return 'no more are known';
  return `missing: ${firstFew(missing.map(({ message }) => message))}`;
}
