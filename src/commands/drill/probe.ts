import { setTimeout as delay } from 'node:timers/promises';
import { mostBytes, type Vitals } from '../../contract/drill.js';
import { ProblemError, problem } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { version } from '../../contract/version.js';
import { NoAnswer, secondsInWords } from '../../run/shards/partial-body.js';
import { type ShardClient, ShardGone } from '../../run/shards/shard-client.js';
import { sampleClock } from '../../run/shards/shard-clock.js';
import type { DrillClockSample } from './clock.js';

const quietLooks = 21;
const quietEveryMs = 50;
/** Limit for all shards together. A driver with more work would make them seem slow. */
const quietLooksPerSecond = 400;
const watchEveryMs = 500;
const linkForMs = 1000;
const mostLinkBytes = 16 * mostBytes;
/** Bytes of the first fetch, which arrive in time even over a slow link. */
const firstBytes = 16_384;
/** Each fetch takes about this long, so that the round trip is a small part of it. */
const fetchForMs = 250;
/** A drill waits no longer, because it has no result that a longer wait would save. */
export const lostAfterMs = 10_000;
const askAgainAfterMs = 250;

/** Bytes that a shard sent, and the milliseconds that they took. */
export interface Sent {
  bytes: number;
  ms: number;
}

/** Describes the drill around a probe. */
interface Around {
  /** Number of shards that are asked at once. */
  of: number;
  interrupt: AbortSignal;
}

/** Names when a drill reads the vitals: before and after a quiet time, after the bytes, and at its end. */
type Moment = 'first' | 'quiet' | 'sent' | 'last';

/** Asks one shard of a drill about itself, until the shard is lost. */
export class Probe {
  readonly looks: DrillClockSample[] = [];
  readonly vitals: Partial<Record<Moment, Vitals>> = {};
  /** Bytes over the control link. */
  sent: Sent = { bytes: 0, ms: 0 };
  /** Reason why the shard is lost; undefined while it is not. */
  lost: string | undefined;

  constructor(
    readonly client: ShardClient,
    readonly info: ShardInfo,
    private readonly around: Around,
  ) {}

  get url(): string {
    return this.client.url;
  }

  /** Throws `ProblemError` if another run holds the shard, or if its version has no drill. */
  async enter(): Promise<void> {
    await this.attempt(async () => void (await this.client.bytes(1)));
  }

  async lookAtVitals(moment: Moment): Promise<void> {
    await this.#ask(async () => {
      this.vitals[moment] = await this.client.vitals();
    });
  }

  /** Reads its clock while nothing else goes on. */
  async lookQuietly(): Promise<void> {
    const { of, interrupt } = this.around;
    const everyMs = Math.max(quietEveryMs, (of * 1000) / quietLooksPerSecond);
    for (let i = 0; i < quietLooks && this.lost === undefined && !interrupt.aborted; i++) {
      await this.#look(true);
      await delay(everyMs);
    }
  }

  /** Reads its clock every `watchEveryMs`, until `over` is aborted. */
  async watch(over: AbortSignal): Promise<void> {
    while (!over.aborted && this.lost === undefined) {
      await this.#look(false);
      await delay(watchEveryMs, undefined, { signal: over }).catch(() => undefined);
    }
  }

  /** Fetches bytes for a second, or until there are enough. The fetches before that open the connection's window. */
  async fetchBytes(): Promise<void> {
    await this.#ask(async () => {
      const first = await this.#timed(firstBytes);
      const wanted = enoughOf(first);
      let sent = await this.#timed(wanted);
      if (wanted > firstBytes) sent = await this.#timed(enoughOf(sent));
      while (sent.ms < linkForMs && sent.bytes < mostLinkBytes && !this.around.interrupt.aborted) {
        const { bytes, ms } = await this.#timed(enoughOf(sent));
        sent = { bytes: sent.bytes + bytes, ms: sent.ms + ms };
      }
      this.sent = sent;
    });
  }

  async endMetronome(): Promise<void> {
    await this.#ask(() => this.client.endMetronome());
  }

  async #timed(count: number): Promise<Sent> {
    const beganMs = performance.now();
    const { length: bytes } = await this.client.bytes(count);
    return { bytes, ms: performance.now() - beganMs };
  }

  /** Works like `attempt`, but a shard that refuses now is lost, for example because another run took it. */
  async #ask(call: () => Promise<void>): Promise<void> {
    await this.attempt(call).catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
      this.lost ??= error.message;
    });
  }

  /**
   * Makes a call that the shard must answer, and repeats it after silence, until the user ends the drill. Throws
   * `ProblemError` with the refusal of the shard.
   */
  async attempt(call: () => Promise<void>): Promise<void> {
    const beganMs = performance.now();
    while (this.lost === undefined) {
      try {
        return await call();
      } catch (error) {
        if (error instanceof ProblemError)
          throw error.problems.some(({ code }) => code === 'notFound') ? new ProblemError([this.#foreign]) : error;
        if (!(error instanceof NoAnswer || error instanceof ShardGone)) throw error;
        const silentMs = performance.now() - beganMs;
        const { message } = error;
        if (error instanceof ShardGone) this.lost = `${this.url}: ${message}`;
        else if (silentMs > lostAfterMs)
          this.lost = `${this.url} did not answer for ${secondsInWords(silentMs)} (${message})`;
        else if (this.around.interrupt.aborted) return;
        else await delay(askAgainAfterMs);
      }
    }
  }

  async #look(isQuiet: boolean): Promise<void> {
    await this.#ask(async () => {
      this.looks.push({ ...(await sampleClock(this.client)), isQuiet });
    });
  }

  get #foreign() {
    return problem('shardForeign', `${this.url}: expected ${version}, which has drills, received ${this.info.version}`);
  }
}

/** Returns the bytes that take about `fetchForMs` over a link that sent this many. */
function enoughOf({ bytes, ms }: Sent): number {
  const wanted = Math.round((bytes * fetchForMs) / Math.max(1, ms));
  return Math.min(mostBytes, Math.max(firstBytes, wanted));
}
