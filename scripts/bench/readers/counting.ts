import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { hostNs, nowNs } from '../../../src/measure/rig/clock.js';
import { parseJob } from '../../../src/scenarios/job.js';
import { loopbackSpread } from '../../../src/units/addresses.js';
import { HttpPublish } from '../../../src/worker/publish.js';
import { cpuSecondsOf, inspectorLine, Program, withDirectory } from '../processes/program.js';
import type { Delivered, Load, Place, Reader } from './reader.js';
import { audienceJob } from './shard.js';

/** Sets the rate at which programs open their clients. */
export const connectsPerSecond = 1000;

const opensWithinMs = 60_000;
const arrivesWithinMs = 20_000;
const pollEveryMs = 50;
/** Each client reads the answer to its upgrade and the confirmation of its subscription. */
const readsPerOpening = 2;
const payloadBytes = 200;

/** Describes a program's answer to a line. `messages` includes the confirmations of the subscriptions. */
const counts = z.object({
  opened: z.number(),
  messages: z.number(),
  reads: z.number().optional(),
  userUs: z.number().optional(),
  systemUs: z.number().optional(),
  p50Ms: z.number().nullish(),
  p90Ms: z.number().nullish(),
  p99Ms: z.number().nullish(),
  maxMs: z.number().nullish(),
});

/** Returns the arguments of a program with the contract of `floor/main.c`, for a number of clients of a target. */
export function floorArguments(
  { target }: Pick<Place, 'target'>,
  clients: number,
  more: { subscription?: string; sources?: readonly string[] } = {},
): string[] {
  const { hostname, port, pathname } = new URL(target.endpoints.wsUrl);
  const { sources = loopbackSpread(hostname, clients), subscription } = more;
  const all = [hostname, port, pathname, clients, connectsPerSecond, sources.join(',') || '-'].map(String);
  return subscription === undefined ? all : [...all, subscription];
}

/** Asks such a program for its counts. */
export async function askCounts(program: Program): Promise<z.output<typeof counts>> {
  return counts.parse(JSON.parse(await program.line('')));
}

/** What a program or tool says of its messages and latencies. */
export type Counts = Partial<z.output<typeof counts>>;

/** Describes subscribers that run in a program of their own. */
export interface ReadingProgram {
  name: string;
  /** Starts it for a number of clients. `directory` is empty and removed afterwards. */
  start(place: Place, clients: number, subscription: string, directory: string): Program;
  /** Waits until all clients are there. Returns the address of its inspector, if it has one. */
  opened(program: Program, place: Place, clients: number): Promise<string | undefined>;
  /** Waits until it has processed so many messages. The confirmations of the subscriptions are part of them. */
  arrived(program: Program, messages: number, signal: AbortSignal): Promise<Counts>;
  /** Ends it and reads its report, if it counts only for that. */
  report?(program: Program): Promise<Counts>;
}

/** Returns a reader that runs such a program and publishes from this process. */
export function programReader({ name, start, opened, arrived, report }: ReadingProgram): Reader {
  return {
    name,
    with: (place, load, work) =>
      withDirectory(async (directory) => {
        const { subscribers, warmUp, broadcasts } = load;
        const { signal } = place;
        const publisher = new Publisher(place);
        const program = start(place, subscribers, publisher.subscription, directory);
        const deliver = async (): Promise<Delivered> => {
          const all = subscribers * (1 + warmUp + broadcasts);
          await publisher.warmUp(load);
          await arrived(program, subscribers * (1 + warmUp), signal);
          const startSeconds = cpuSecondsOf(program.pid);
          const atUs = await publisher.broadcast(load);
          const found = await arrived(program, all, signal);
          const cpuUs = (cpuSecondsOf(program.pid) - startSeconds) * 1e6;
          const { messages = all, reads, p99Ms } = report ? await report(program) : found;
          if (messages !== all) throw new Error(`${name} counts ${messages} messages of ${all}`);
          return {
            cpuUs,
            units: subscribers * broadcasts,
            readsPerUnit: reads && (reads - readsPerOpening * subscribers) / (all - subscribers),
            p99Ms: p99Ms ?? undefined,
            sent: { stream: publisher.stream, atUs },
          };
        };
        try {
          const inspector = await opened(program, place, subscribers);
          return await work({ pid: program.pid, inspector, deliver });
        } finally {
          await program.stop();
          await publisher.close();
        }
      }),
  };
}

/**
 * Returns a reader that runs a program with the contract of `floor/main.c`. Its arguments follow `command`. With
 * `isInspected`, it is a Node program that got `inspectorFlags`.
 */
export function countingReader(...program: Parameters<typeof countingProgram>): Reader {
  return programReader(countingProgram(...program));
}

/** Returns such a program with the steps of its life. */
export function countingProgram(
  name: string,
  command: readonly [string, ...string[]],
  { isInspected = false } = {},
): ReadingProgram {
  const counted = async (program: Program, messages: number, withinMs: number, signal: AbortSignal) => {
    const endMs = performance.now() + withinMs;
    for (;;) {
      const found = await askCounts(program);
      if (found.messages === messages) return found;
      if (found.messages > messages || performance.now() > endMs)
        throw new Error(`${name} counts ${found.messages} messages of ${messages}`);
      await delay(pollEveryMs, undefined, { signal });
    }
  };
  return {
    name,
    start: (place, clients, subscription) =>
      new Program(name, [...command, ...floorArguments(place, clients, { subscription })], { signal: place.signal }),
    async opened(program, { signal }, clients) {
      const inspector = isInspected ? (await program.saw(inspectorLine))[1] : undefined;
      await counted(program, clients, opensWithinMs, signal);
      return inspector;
    },
    arrived: (program, messages, signal) => counted(program, messages, arrivesWithinMs, signal),
  };
}

/** Publishes evenly from this process, for readers that do not publish themselves. */
export class Publisher {
  readonly stream: string;
  /** The message that subscribes a client of `ws-json` to the stream. */
  readonly subscription: string;
  readonly #http: HttpPublish;
  readonly #signal: AbortSignal;

  constructor({ target, signal }: Place) {
    const job = parseJob(audienceJob(target, 1));
    this.stream = job.stream;
    this.subscription = JSON.stringify({ type: 'subscribe', stream: job.stream });
    this.#http = new HttpPublish(job);
    this.#signal = signal;
  }

  /** Publishes the broadcasts of a warm-up. They carry no time. */
  async warmUp({ warmUp, ratePerSecond }: Load): Promise<void> {
    await this.#publish(warmUp, ratePerSecond, () => payload({}));
  }

  /** Publishes the measured broadcasts. Returns their send times in microseconds of CLOCK_MONOTONIC modulo 2^32. */
  broadcast({ broadcasts, ratePerSecond }: Load): Promise<Uint32Array> {
    // Other processes read this clock, too. Node's `Date.now` has no microseconds.
    return this.#publish(broadcasts, ratePerSecond, () =>
      payload({ sentAtMs: performance.timeOrigin + performance.now() }),
    );
  }

  async #publish(count: number, perSecond: number, text: () => string): Promise<Uint32Array> {
    const sentAtUs = new Uint32Array(count);
    const startMs = performance.now();
    const answers: Promise<number | string>[] = [];
    for (let sequence = 0; sequence < count; sequence++) {
      const earlyMs = Math.max(0, startMs + (sequence * 1000) / perSecond - performance.now());
      await delay(earlyMs, undefined, { signal: this.#signal });
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

/** Returns JSON with exactly as many bytes as a broadcast of Ringside has by default. */
function payload(fields: object): string {
  const bare = JSON.stringify({ ...fields, padding: '' });
  return JSON.stringify({ ...fields, padding: 'x'.repeat(payloadBytes - bare.length) });
}
