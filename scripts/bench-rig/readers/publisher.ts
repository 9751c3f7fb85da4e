import { setTimeout as delay } from 'node:timers/promises';
import { hostNs, nowNs } from '../../../src/measure/rig/clock.js';
import { parseJob } from '../../../src/scenarios/job.js';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { HttpPublish } from '../../../src/worker/publish.js';
import { audienceJob } from '../processes/audience.js';
import type { Load } from './reader.js';

const payloadBytes = 200;

/** Publishes evenly from this process, for readers that do not publish themselves. */
export class Publisher {
  readonly stream: string;
  readonly #http: HttpPublish;

  constructor(target: RunningTarget) {
    const job = parseJob(audienceJob(target, 'wire', 1));
    this.stream = job.stream;
    this.#http = new HttpPublish(job);
  }

  /** Publishes the broadcasts of a warm-up. They carry no time. */
  async warmUp({ warmUp, ratePerSecond }: Load, signal: AbortSignal): Promise<void> {
    await this.#publish(warmUp, ratePerSecond, () => payload({}), signal);
  }

  /** Publishes the measured broadcasts. Returns their send times in microseconds of CLOCK_MONOTONIC modulo 2^32. */
  async broadcast({ broadcasts, ratePerSecond }: Load, signal: AbortSignal): Promise<Uint32Array> {
    return this.#publish(broadcasts, ratePerSecond, () => payload({ sentAtMs: wallMs() }), signal);
  }

  async #publish(count: number, perSecond: number, text: () => string, signal: AbortSignal): Promise<Uint32Array> {
    const sentAtUs = new Uint32Array(count);
    const startMs = performance.now();
    const answers: Promise<number | string>[] = [];
    for (let sequence = 0; sequence < count; sequence++) {
      await delay(Math.max(0, startMs + (sequence * 1000) / perSecond - performance.now()), undefined, { signal });
      const sent = () => {
        sentAtUs[sequence] = Math.floor(hostNs(nowNs()) / 1000) >>> 0;
      };
      answers.push(this.#http.publish(text(), { sent }));
    }
    for (const answer of await Promise.all(answers)) {
      const isAccepted = typeof answer === 'number' && answer >= 200 && answer < 300;
      if (!isAccepted) throw new Error(`a publish was answered with ${answer}`);
    }
    return sentAtUs;
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}

/** Reads the wall clock, which other processes also read. Node's `Date.now` has no microseconds. */
function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Returns JSON with exactly as many bytes as a broadcast of Ringside has by default. */
function payload(fields: object): string {
  const bare = JSON.stringify({ ...fields, padding: '' });
  return JSON.stringify({ ...fields, padding: 'x'.repeat(payloadBytes - bare.length) });
}
