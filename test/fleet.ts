import { EventEmitter, once } from 'node:events';
import type { Served } from './workplace.js';

/** What tells a command which bench-runners to use, and to ask those again that a busy machine keeps from answering. */
export interface FleetEnvironment {
  SHARDS: string;
  RINGSIDE_WAIT_SHARDS: string;
  RINGSIDE_FOR: string;
}

/** Running bench-runners. No two runs have the same one at a time. */
export class Fleet {
  readonly #start: () => Promise<Served>;
  #most: number;
  readonly #free: Served[] = [];
  readonly #returned = new EventEmitter();
  #started = 0;
  #queue: Promise<unknown> = Promise.resolve();

  /** Has at most `most` bench-runners, unless one run takes more. */
  constructor(start: () => Promise<Served>, most: number) {
    this.#start = start;
    this.#most = most;
  }

  /** Calls `use` with the environment of a run over `count` bench-runners; starts those that are missing. */
  async lend<T>(count: number, use: (env: FleetEnvironment) => Promise<T>): Promise<T> {
    const taken = this.#queue.then(() => this.#take(count));
    this.#queue = taken.catch(() => undefined);
    const runners = await taken;
    try {
      const urls = runners.map(({ port }) => `http://127.0.0.1:${port}`);
      return await use({ SHARDS: urls.join(','), RINGSIDE_WAIT_SHARDS: String(count), RINGSIDE_FOR: '10m' });
    } finally {
      this.#free.push(...runners);
      this.#returned.emit('runners');
    }
  }

  async #take(count: number): Promise<Served[]> {
    this.#most = Math.max(this.#most, count);
    while (this.#free.length + this.#most - this.#started < count) await once(this.#returned, 'runners');
    const taken = this.#free.splice(0, count);
    const missing = count - taken.length;
    this.#started += missing;
    return [...taken, ...(await Promise.all(Array.from({ length: missing }, this.#start)))];
  }
}
