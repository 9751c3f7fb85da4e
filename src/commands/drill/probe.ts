import { setTimeout as delay } from 'node:timers/promises';
import { mostBytes, type Vitals } from '../../contract/drill.js';
import { ProblemError, problem } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { version } from '../../contract/version.js';
import { loadOptions } from '../../run/catalog.js';
import { NoAnswer, secondsInWords } from '../../run/shards/no-answer.js';
import { type ShardClient, ShardGone } from '../../run/shards/shard-client.js';
import { lookAt } from '../../run/shards/shard-clock.js';
import type { DrillLook } from './clock.js';

const quietLooks = 21;
const quietEveryMs = 50;
const watchEveryMs = 500;
const linkForMs = 1000;
const mostLinkBytes = 16 * mostBytes;
/** As a run waits by default. */
const lostAfterMs = loadOptions.parse({}).leaseMs;
const askAgainAfterMs = 250;

/** Bytes that a shard sent, in how long. */
export interface Sent {
  bytes: number;
  ms: number;
}

/** Asks one shard of a drill about itself, until it is lost. */
export class Probe {
  readonly looks: DrillLook[] = [];
  readonly vitals: Vitals[] = [];
  /** Over the control link. */
  sent: Sent = { bytes: 0, ms: 0 };
  /** Why the shard is lost; undefined while it is not. */
  lost: string | undefined;

  constructor(
    readonly client: ShardClient,
    readonly info: ShardInfo,
  ) {}

  get url(): string {
    return this.client.url;
  }

  /** Throws `ProblemError` if another run has the shard, or if its version has no drill. */
  async enter(): Promise<void> {
    await this.attempt(async () => void (await this.client.bytes(1)));
  }

  async lookAtVitals(): Promise<void> {
    await this.attempt(async () => {
      this.vitals.push(await this.client.vitals());
    });
  }

  /** Looks at its clock while nothing else goes on. */
  async lookQuietly(): Promise<void> {
    for (let i = 0; i < quietLooks && this.lost === undefined; i++) {
      await this.#look(true);
      await delay(quietEveryMs);
    }
  }

  /** Looks at its clock now and then, until `over` is aborted. */
  async watch(over: AbortSignal): Promise<void> {
    while (!over.aborted && this.lost === undefined) {
      await this.#look(false);
      await delay(watchEveryMs, undefined, { signal: over }).catch(() => undefined);
    }
  }

  /** Fetches bytes for a second, or until there are enough. The first ones open the connection's window. */
  async fetchBytes(): Promise<void> {
    await this.attempt(async () => {
      await this.client.bytes(mostBytes);
      const beganMs = performance.now();
      let bytes = 0;
      do bytes += (await this.client.bytes(mostBytes)).length;
      while (performance.now() - beganMs < linkForMs && bytes < mostLinkBytes);
      this.sent = { bytes, ms: performance.now() - beganMs };
    });
  }

  /** Does what the shard has to answer, and does it again after silence. Throws what the shard refuses. */
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
        else await delay(askAgainAfterMs);
      }
    }
  }

  async #look(isQuiet: boolean): Promise<void> {
    await this.attempt(async () => {
      this.looks.push({ ...(await lookAt(this.client)), isQuiet });
    });
  }

  get #foreign() {
    return problem('shardForeign', `${this.url}: expected ${version}, which has drills, received ${this.info.version}`);
  }
}
