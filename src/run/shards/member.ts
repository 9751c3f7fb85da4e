import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError } from '../../contract/problems.js';
import type { JobStatus, ShardInfo } from '../../contract/shard.js';
import { silentAfterMs } from '../../results/progress.js';
import { NoAnswer, secondsInWords, tooLate } from './no-answer.js';
import { type ShardClient, ShardGone } from './shard-client.js';
import type { Span } from './spans.js';

/** Well within the shortest lease that can be asked for. */
export const pollEveryMs = 250;
/** A shard ends its load within a second of its lease: what it kept can be had if it is heard of by then. */
const beyondLeaseMs = 1000;
const askAgainAfterMs = 250;

/** One shard taking part in a run: its last word, and whether it is still there. Instants are those of `performance.now()`. */
export class Member {
  readonly client: ShardClient;
  readonly info: ShardInfo;
  readonly jobId: string;
  status: JobStatus | undefined;
  /** When the status came. */
  heardMs: number | undefined;
  /** Why the shard is lost; undefined while it is not. */
  lost: string | undefined;
  readonly #leaseMs: number;
  /** When the first of the calls was made that have had no answer since the last one. */
  #silentFromMs: number | undefined;
  readonly #silences: Span[] = [];
  #why = tooLate;
  /** Lost for good: whatever answers at its address is not what took the job. */
  #isGone = false;
  #polling: Promise<void> | undefined;
  #isCancelled = false;
  #roundTripMs = 0;

  /** `leaseMs`: for how long the shard goes on without hearing of this driver, and this driver waits for it. */
  constructor(client: ShardClient, info: ShardInfo, jobId: string, leaseMs: number) {
    this.client = client;
    this.info = info;
    this.jobId = jobId;
    this.#leaseMs = leaseMs;
  }

  get url(): string {
    return this.client.url;
  }

  /** Whether nothing more is to be expected of it. */
  get isOver(): boolean {
    return this.lost !== undefined || this.status?.state === 'done';
  }

  /** Whether it answered the last call, so that its status is of now. */
  get isHeard(): boolean {
    return this.lost === undefined && this.#silentFromMs === undefined;
  }

  /** The times without an answer that a reader would notice; one that goes on ends at `nowMs`. */
  silencesUntil(nowMs: number): Span[] {
    return [...this.#silences, ...this.#openSilence(nowMs)];
  }

  #openSilence(nowMs: number): Span[] {
    const fromMs = this.#silentFromMs ?? nowMs;
    return nowMs - fromMs < silentAfterMs ? [] : [{ fromMs, toMs: nowMs }];
  }

  /**
   * Asks for the shard's state, and where the run `isEnding` has it end its load first; its partial result follows. One that restarted or forgot the
   * job is lost at once, one that stays silent beyond its lease then; the latter is found again when it tells of its end after all.
   */
  poll(isEnding = false): Promise<void> {
    this.#giveUp();
    if (this.#isGone) return Promise.resolve();
    this.#polling ??= this.#ask(isEnding).finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #ask(isEnding: boolean): Promise<void> {
    await this.#attempt(async () => {
      if ((isEnding || this.lost !== undefined) && !this.#isCancelled && this.status?.state !== 'done') {
        await this.client.cancel(this.jobId);
        this.#isCancelled = true;
      }
      const askedMs = performance.now();
      this.status = await this.client.status(this.jobId);
      this.heardMs = performance.now();
      this.#roundTripMs = this.heardMs - askedMs;
    });
    const isThere = !this.#isGone && this.#silentFromMs === undefined;
    if (isThere && this.status?.state === 'done') this.lost = undefined;
  }

  /** The stage behind the gate begins `delayMs` from now, whatever the way to the shard takes; where `isLast`, neither it nor any other of a round does. */
  async openGate(name: string, delayMs: number, isLast: boolean): Promise<void> {
    const onArrivalMs = Math.max(0, Math.round(delayMs - this.#roundTripMs / 2));
    await this.#attempt(() => this.client.openGate(this.jobId, name, { delayMs: onArrivalMs, isLast }));
  }

  /** The body of that name of what the shard measured, asked for until it came. Throws with why, where the shard is lost on the way. */
  async samples(name: string): Promise<Uint8Array> {
    for (;;) {
      let body: Uint8Array | undefined;
      await this.#attempt(async () => {
        body = await this.client.samples(this.jobId, name);
      }, true);
      if (body !== undefined) return body;
      this.#giveUp();
      if (this.lost !== undefined) throw new Error(this.lost);
      await delay(askAgainAfterMs);
    }
  }

  /** Tells the shard that it may forget the job. One that does not hear it keeps the job a while: nothing here depends on it. */
  async release(): Promise<void> {
    await this.client.collected(this.jobId).catch((error: unknown) => {
      if (!(error instanceof NoAnswer || error instanceof ShardGone || error instanceof ProblemError)) throw error;
    });
  }

  /** Time in which nobody asked, as when this machine slept, is no silence of the shard; nor is that in which a long answer flows. */
  async #attempt(call: () => Promise<void>, isLong = false): Promise<void> {
    if (!isLong) this.#silentFromMs ??= performance.now();
    try {
      await call();
      this.#silences.push(...this.#openSilence(performance.now()));
      this.#silentFromMs = undefined;
    } catch (error) {
      this.#why = error instanceof Error ? error.message : String(error);
      if (error instanceof NoAnswer) {
        this.#silentFromMs ??= performance.now();
        return;
      }
      this.#isGone = true;
      this.lost ??= this.#why;
    }
  }

  #giveUp(): void {
    if (this.lost !== undefined || this.#silentFromMs === undefined) return;
    const silentMs = performance.now() - this.#silentFromMs;
    if (silentMs <= this.#leaseMs + beyondLeaseMs) return;
    this.lost = `did not answer for ${secondsInWords(silentMs)} (${this.#why})`;
  }
}
