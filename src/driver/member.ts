import { ProblemError } from '../contract/problems.js';
import type { JobStatus, ShardInfo } from '../contract/shard.js';
import { type ShardClient, ShardRestarted } from './shard-client.js';

const lostAfterMs = 5000;

/** One shard taking part in a run: its last word, and whether it is still there. */
export class Member {
  readonly client: ShardClient;
  readonly info: ShardInfo;
  readonly jobId: string;
  status: JobStatus | undefined;
  /** Why the shard is lost; undefined while it is not. */
  lost: string | undefined;
  /** When the first of the calls was made that have failed since the last answer. */
  #silentFromMs: number | undefined;
  #isCancelled = false;
  #roundTripMs = 0;

  constructor(client: ShardClient, info: ShardInfo, jobId: string) {
    this.client = client;
    this.info = info;
    this.jobId = jobId;
  }

  get url(): string {
    return this.client.url;
  }

  /** Whether nothing more is to be expected of it. */
  get isOver(): boolean {
    return this.lost !== undefined || this.status?.state === 'done';
  }

  /** Asks for the shard's state; a shard that restarted, forgot the job or stays silent is lost. */
  async poll(): Promise<void> {
    await this.#attempt(async () => {
      const askedMs = performance.now();
      this.status = await this.client.status(this.jobId);
      this.#roundTripMs = performance.now() - askedMs;
    });
  }

  /** The stage behind the gate begins `delayMs` from now, whatever the way to the shard takes; where `isLast`, neither it nor any other of a round does. */
  async openGate(name: string, delayMs: number, isLast: boolean): Promise<void> {
    const onArrivalMs = Math.max(0, Math.round(delayMs - this.#roundTripMs / 2));
    await this.#attempt(() => this.client.openGate(this.jobId, name, { delayMs: onArrivalMs, isLast }));
  }

  /** Ends the shard's load; its partial result follows. Tried again by the next call until the shard has taken it. */
  async cancel(): Promise<void> {
    if (this.#isCancelled || this.isOver) return;
    await this.#attempt(async () => {
      await this.client.cancel(this.jobId);
      this.#isCancelled = true;
    });
  }

  async #attempt(call: () => Promise<void>): Promise<void> {
    if (this.lost !== undefined) return;
    const calledMs = performance.now();
    try {
      await call();
      this.#silentFromMs = undefined;
    } catch (error) {
      // Time in which nobody asked, as when this machine slept, is no silence of the shard.
      this.#silentFromMs ??= calledMs;
      const silentMs = performance.now() - this.#silentFromMs;
      const why = error instanceof Error ? error.message : String(error);
      if (error instanceof ShardRestarted || error instanceof ProblemError) this.lost = why;
      else if (silentMs > lostAfterMs) this.lost = `no answer for ${Math.round(silentMs)} ms: ${why}`;
    }
  }
}
