import { setTimeout as delay } from 'node:timers/promises';
import { digestOf } from '../../contract/bodies.js';
import { ProblemError, problem } from '../../contract/problems.js';
import type { JobStatus, ShardInfo } from '../../contract/shard.js';
import { silentAfterMs } from '../../results/progress.js';
import { NoAnswer, PartialBody, secondsInWords, tooLate } from './partial-body.js';
import { type ShardClient, ShardGone } from './shard-client.js';

/** A time from one instant to another, both on one axis. */
export interface TimeSpan {
  fromMs: number;
  toMs: number;
}

/** How a shard ends its load early: at once, or when what is under way has arrived. */
export type HowToEnd = 'finish' | 'cancel';

/** How much time lies in any of the spans. */
export function coveredMs(spans: readonly TimeSpan[]): number {
  let [covered, toMs] = [0, Number.NEGATIVE_INFINITY];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    covered += Math.max(0, span.toMs - Math.max(span.fromMs, toMs));
    toMs = Math.max(toMs, span.toMs);
  }
  return covered;
}

/** Well within the shortest lease, and often enough for live figures. */
export const pollEveryMs = 250;
/** Each shard of a large fleet is asked less often; still within a second, so that live figures have each second. */
const pollsPerSecond = 250;
const pollAtLeastEveryMs = 800;

/** Throws `ProblemError` `runTaken` if another driver has taken over the run of any of these shards. */
export function refuseTaken(members: readonly Member[]): void {
  const taken = members.flatMap((member) => member.taken?.problems ?? []);
  if (taken.length > 0) throw new ProblemError(taken);
}

/** How often each of so many shards is asked. */
export function pollPauseMs(shards: number): number {
  return Math.min(pollAtLeastEveryMs, Math.max(pollEveryMs, (shards * 1000) / pollsPerSecond));
}
/** A shard ends its load within a second of its lease; its partial result can be fetched until then. */
const beyondLeaseMs = 1000;
/** A lost shard is awaited for another lease, and no longer than this: whoever set a long one would wait for hours. */
const awaitedAtMostMs = 60_000;
const askAgainAfterMs = 250;
/** Of one body: more than fit into a lease without a byte, and an end for a way that cuts every answer. */
const cutsAtMost = 1000;
/** Of a body that arrives damaged: what damaged it may have been an accident. */
const fetchesAtMost = 3;

/** One shard in a run: its last status, and whether it still answers. Instants are those of `performance.now()`. */
export class Member {
  readonly client: ShardClient;
  /** Undefined for one that never answered. */
  readonly info: ShardInfo | undefined;
  readonly jobId: string;
  status: JobStatus | undefined;
  /** When the status arrived. */
  heardMs: number | undefined;
  /** Why the shard is lost; undefined while it is not. */
  lost: string | undefined;
  /** Set once another driver has taken the run over: this one has no say in it any more. */
  taken: ProblemError | undefined;
  /** Why its samples are not in the result though the shard answered. */
  fault: 'samplesDamaged' | undefined;
  readonly leaseMs: number;
  /** When the first call since the last answer was made. */
  #silentFromMs: number | undefined;
  readonly #silences: TimeSpan[] = [];
  #why = tooLate;
  /** Lost for good: the process that took the job is gone. */
  #isGone = false;
  /** When its silence became a loss, and whether nothing listened at its address at the last call. */
  #lostMs: number | undefined;
  #isRefused = false;
  #polling: Promise<void> | undefined;
  /** How it was asked to end. */
  #ending: HowToEnd | undefined;
  /** The shortest seen: longer ones contain waits on either side. */
  #roundTripMs = Number.POSITIVE_INFINITY;

  /** `leaseMs`: how long the shard goes on without this driver, and this driver waits for the shard. */
  constructor(client: ShardClient, info: ShardInfo | undefined, jobId: string, leaseMs: number) {
    this.client = client;
    this.info = info;
    this.jobId = jobId;
    this.leaseMs = leaseMs;
  }

  get url(): string {
    return this.client.url;
  }

  get isOver(): boolean {
    return this.lost !== undefined || this.status?.state === 'done';
  }

  /** Whether it answered the last call, so that its status is current. */
  get isHeard(): boolean {
    return this.lost === undefined && this.#silentFromMs === undefined;
  }

  /** How long it is still worth waiting for a lost shard: it keeps its part, and a cut may end within another lease. */
  get awaitedMs(): number {
    if (this.lost === undefined || this.#lostMs === undefined || this.#isGone || this.#isRefused) return 0;
    return Math.max(0, this.#lostMs + Math.min(this.leaseMs, awaitedAtMostMs) - performance.now());
  }

  /** Times without an answer that a reader would notice; an open one ends at `nowMs`. */
  silencesUntil(nowMs: number): TimeSpan[] {
    return [...this.#silences, ...this.#openSilence(nowMs)];
  }

  #openSilence(nowMs: number): TimeSpan[] {
    const fromMs = this.#silentFromMs ?? nowMs;
    return nowMs - fromMs < silentAfterMs ? [] : [{ fromMs, toMs: nowMs }];
  }

  /**
   * Asks for the state, and first to end the load if the run is `ending`. A shard without news may hold its answer for
   * `holdMs`. A silent shard is lost after its lease.
   */
  poll(ending?: HowToEnd, holdMs = pollEveryMs): Promise<void> {
    this.#giveUp();
    if (this.#isGone) return Promise.resolve();
    this.#polling ??= this.#ask(ending, holdMs).finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #ask(ending: HowToEnd | undefined, holdMs: number): Promise<void> {
    // A shard at a gate waits for this driver, and one that was silent is to be heard at once.
    const waitMs = this.isHeard && this.status?.waitingFor === null ? holdMs : 0;
    await this.#attempt(async () => {
      const how = this.lost === undefined ? ending : 'cancel';
      if (how && how !== this.#ending && this.#ending !== 'cancel' && this.status?.state !== 'done') {
        await this.client[how](this.jobId);
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

  /** Starts the stage behind the gate `delayMs` from now. With `isLast`, this round and all later ones are skipped. */
  async openGate(name: string, delayMs: number, isLast: boolean): Promise<void> {
    const onArrivalMs = Math.max(0, Math.round(delayMs - this.#roundTripMs / 2));
    await this.#attempt(() => this.client.openGate(this.jobId, name, { delayMs: onArrivalMs, isLast }));
  }

  /**
   * A body of what the shard measured, with the digest that the shard told. Throws the reason if the shard is lost, and
   * `ProblemError` `samplesDamaged` if the body has another digest whenever it is fetched.
   */
  async samples(name: string): Promise<Uint8Array> {
    const digest = this.status?.result?.digests?.[name];
    for (let fetches = 1; ; fetches++) {
      const body = await this.#body(name);
      const arrived = digestOf(body);
      if (arrived === digest) return body;
      if (fetches === fetchesAtMost) {
        const digests = `expected the SHA-256 ${digest ?? 'that the shard did not tell'}, received ${arrived}`;
        throw new ProblemError([problem('samplesDamaged', `${name}, fetched ${fetches} times: ${digests}`)]);
      }
    }
  }

  /** Asks for a body until it is whole, from the byte on at which the way was cut. */
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

  /** Keeps the lease while a long answer comes, which says by itself whether the shard is there. */
  async renew(): Promise<void> {
    await this.client.status(this.jobId).catch(unlessRefused);
  }

  /** Lets the shard forget the job. Without an answer the shard keeps it for a while, which does no harm. */
  async release(): Promise<void> {
    await this.client.collected(this.jobId).catch(unlessRefused);
  }

  /** Time without a call, as when this machine slept, is no silence of the shard; nor is the time of a long answer. */
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

  /** Nothing is asked of the shard from now on. */
  loseForGood(why: string): void {
    this.#isGone = true;
    this.lost ??= why;
  }

  /** Ends a silence. */
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

/** Throws what is no answer of a shard, and not the lack of one. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof NoAnswer || error instanceof ShardGone || error instanceof ProblemError)) throw error;
}
