import { setTimeout as delay } from 'node:timers/promises';
import { digestOf } from '../../contract/job.js';
import { ProblemError, problemError } from '../../contract/problems.js';
import type { JobStatus, SendsQuery, ShardInfo } from '../../contract/shard.js';
import { silentAfterMs } from '../../results/progress.js';
import { NoAnswer, PartialBody, secondsInWords, tooLate } from './partial-body.js';
import { type HowToEnd, type ShardClient, ShardGone } from './shard-client.js';

export interface TimeSpan {
  fromMs: number;
  toMs: number;
}

export function coveredMs(spans: readonly TimeSpan[]): number {
  let [covered, toMs] = [0, Number.NEGATIVE_INFINITY];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    covered += Math.max(0, span.toMs - Math.max(span.fromMs, toMs));
    toMs = Math.max(toMs, span.toMs);
  }
  return covered;
}

/** Well below the shortest lease, and frequent enough for live figures. */
export const pollEveryMs = 250;
/** In a large fleet each shard is asked less often. It stays within a second, so that live figures have each second. */
const pollsPerSecond = 250;
const pollAtLeastEveryMs = 800;

/** Throws `ProblemError` `runTaken` if another driver has taken over the run of any of these shards. */
export function refuseTaken(members: readonly Member[]): void {
  const taken = members.flatMap((member) => member.taken?.problems ?? []);
  if (taken.length > 0) throw new ProblemError(taken);
}

export function pollPauseMs(shards: number): number {
  return Math.min(pollAtLeastEveryMs, Math.max(pollEveryMs, (shards * 1000) / pollsPerSecond));
}
/** A shard ends its load within a second of its lease; its partial result can be fetched until then. */
const beyondLeaseMs = 1000;
/** A lost shard is awaited for another lease, but not for hours. */
const awaitedAtMostMs = 60_000;
const askAgainAfterMs = 250;
/** Cuts of one body. It is more than fit into a lease without a byte, and it stops if a proxy cuts every answer. */
const cutsAtMost = 1000;
/** Fetches of a body that arrives damaged, as the damage may have been an accident. */
const fetchesAtMost = 3;

/** Tracks one shard in a run. Instants are those of `performance.now()`. */
export class Member {
  status: JobStatus | undefined;
  heardMs: number | undefined;
  lost: string | undefined;
  /** Set once another driver has taken over the run. Then this driver no longer controls the shard. */
  taken: ProblemError | undefined;
  /** Reason why the result lacks its samples though the shard answered. */
  fault: 'samplesDamaged' | undefined;
  #silentFromMs: number | undefined;
  readonly #silences: TimeSpan[] = [];
  #why = tooLate;
  /** Set if the shard is lost for good: the process that took the job is gone. */
  #isGone = false;
  /** Time at which its silence became a loss. `#isRefused`: nothing listened at its address at the last call. */
  #lostMs: number | undefined;
  #isRefused = false;
  #polling: Promise<void> | undefined;
  #ending: HowToEnd | undefined;
  /** The shortest round trip so far. Longer ones contain waits on either side. */
  #roundTripMs = Number.POSITIVE_INFINITY;

  /** `leaseMs`: time that the shard continues without this driver, and that this driver waits for the shard. */
  constructor(
    readonly client: ShardClient,
    /** Undefined for a shard that never answered. */
    readonly info: ShardInfo | undefined,
    readonly jobId: string,
    readonly leaseMs: number,
  ) {}

  get url(): string {
    return this.client.url;
  }

  get isOver(): boolean {
    return this.lost !== undefined || this.status?.state === 'done';
  }

  /** Returns true if the shard answered the last call, so that its status is current. */
  get isHeard(): boolean {
    return this.lost === undefined && this.#silentFromMs === undefined;
  }

  /** Returns the time left to wait for a lost shard. It keeps its part, and a cut may end within another lease. */
  get awaitedMs(): number {
    if (this.lost === undefined || this.#lostMs === undefined || this.#isGone || this.#isRefused) return 0;
    return Math.max(0, this.#lostMs + Math.min(this.leaseMs, awaitedAtMostMs) - performance.now());
  }

  /** Returns the spans without an answer that a reader would notice. An open one ends at `nowMs`. */
  silencesUntil(nowMs: number): TimeSpan[] {
    return [...this.#silences, ...this.#openSilence(nowMs)];
  }

  #openSilence(nowMs: number): TimeSpan[] {
    const fromMs = this.#silentFromMs ?? nowMs;
    return nowMs - fromMs < silentAfterMs ? [] : [{ fromMs, toMs: nowMs }];
  }

  /** Asks for the state, and first ends the load if the run is `ending`. A shard may hold its answer for `holdMs`. */
  poll(ending?: HowToEnd, holdMs = pollEveryMs): Promise<void> {
    this.#giveUp();
    if (this.#isGone) return Promise.resolve();
    this.#polling ??= this.#ask(ending, holdMs).finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #ask(ending: HowToEnd | undefined, holdMs: number): Promise<void> {
    // A shard at a gate waits for this driver, and one that was silent must be asked at once.
    const waitMs = this.isHeard && this.status?.waitingFor === null ? holdMs : 0;
    await this.#attempt(async () => {
      const how = this.lost === undefined ? ending : 'cancel';
      if (how && how !== this.#ending && this.#ending !== 'cancel' && this.status?.state !== 'done') {
        await this.client.end(this.jobId, how);
        this.#ending = how;
      }
      const askedMs = performance.now();
      this.status = await this.client.status(this.jobId, waitMs);
      this.heardMs = performance.now();
      if (waitMs === 0) this.#roundTripMs = Math.min(this.#roundTripMs, this.heardMs - askedMs);
    });
    const isThere = !this.#isGone && this.#silentFromMs === undefined;
    if (isThere && this.status?.state === 'done') this.lost = undefined;
  }

  /** Starts the stage behind the gate `delayMs` from now. With `isLast`, skips this round and all later ones. */
  async openGate(name: string, delayMs: number, isLast: boolean): Promise<void> {
    const onArrivalMs = Math.max(0, Math.round(delayMs - this.#roundTripMs / 2));
    await this.#attempt(() => this.client.openGate(this.jobId, name, { delayMs: onArrivalMs, isLast }));
  }

  /** Fetches a body of measurements and checks its digest. Throws the reason if the shard is lost. */
  async samples(name: string): Promise<Uint8Array> {
    const digest = this.status?.result?.digests?.[name];
    for (let fetches = 1; ; fetches++) {
      const body = await this.#body(name);
      const arrived = digestOf(body);
      if (arrived === digest) return body;
      if (fetches === fetchesAtMost) {
        const digests = `expected the SHA-256 ${digest ?? 'that the shard did not tell'}, received ${arrived}`;
        throw problemError('samplesDamaged', `${name}, fetched ${fetches} times: ${digests}`);
      }
    }
  }

  async #body(name: string): Promise<Uint8Array> {
    const into = new PartialBody();
    for (let cuts = 0; ; cuts++) {
      let body: Uint8Array | undefined;
      await this.#attempt(async () => {
        const before = into.bytes;
        try {
          body = await this.client.samples(this.jobId, name, into);
        } finally {
          if (into.bytes > before) this.#answered();
        }
      }, true);
      if (body !== undefined) return body;
      this.#giveUp();
      if (cuts === cutsAtMost) this.lost ??= `broke off ${cuts} times (${this.#why})`;
      if (this.lost !== undefined) throw new Error(this.lost);
      await delay(askAgainAfterMs);
    }
  }

  async sends(): Promise<Uint8Array | undefined> {
    let body: Uint8Array | undefined;
    await this.#attemptAgain(async () => {
      body = await this.client.sends(this.jobId);
    });
    return body;
  }

  async learn(sends: Uint8Array, clock: SendsQuery): Promise<void> {
    await this.#attemptAgain(() => this.client.learn(this.jobId, sends, clock));
  }

  async #attemptAgain(call: () => Promise<void>): Promise<void> {
    for (let tries = 0; tries < fetchesAtMost && !this.#isGone; tries++) {
      let isDone = false;
      await this.#attempt(async () => {
        await call();
        isDone = true;
      }, true);
      if (isDone) return;
      await delay(askAgainAfterMs);
    }
  }

  async renew(): Promise<void> {
    await this.client.status(this.jobId).catch(unlessRefused);
  }

  /** Lets the shard discard the job. Without an answer the shard keeps the job for a while, which does no harm. */
  async release(): Promise<void> {
    await this.client.collected(this.jobId).catch(unlessRefused);
  }

  /** Makes a call and records silences. Time without a call, or in a long answer, is none. */
  async #attempt(call: () => Promise<void>, isLong = false): Promise<void> {
    if (!isLong) this.#silentFromMs ??= performance.now();
    try {
      await call();
      this.#answered();
    } catch (error) {
      this.#why = error instanceof Error ? error.message : String(error);
      if (error instanceof NoAnswer) {
        this.#isRefused = error.isRefused;
        this.#silentFromMs ??= performance.now();
        return;
      }
      if (error instanceof ProblemError && error.problems.some(({ code }) => code === 'runTaken')) this.taken = error;
      this.loseForGood(this.#why);
    }
  }

  loseForGood(why: string): void {
    this.#isGone = true;
    this.lost ??= why;
  }

  #answered(): void {
    this.#silences.push(...this.#openSilence(performance.now()));
    this.#silentFromMs = undefined;
  }

  #giveUp(): void {
    if (this.lost !== undefined || this.#silentFromMs === undefined) return;
    const silentMs = performance.now() - this.#silentFromMs;
    if (silentMs <= this.leaseMs + beyondLeaseMs) return;
    this.#lostMs = performance.now();
    this.lost = `did not answer for ${secondsInWords(silentMs)} (${this.#why})`;
  }
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof NoAnswer || error instanceof ShardGone || error instanceof ProblemError)) throw error;
}
