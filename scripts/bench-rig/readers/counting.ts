import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { loopbackSpread } from '../../../src/units/addresses.js';
import { cpuSecondsOf } from '../processes/child.js';
import { inspectorLine } from '../processes/inspector.js';
import { Program } from './program.js';
import { Publisher } from './publisher.js';
import type { Delivered, Held, Load, Place, Reader } from './reader.js';

/** Sets the rate at which programs open their clients. */
export const connectsPerSecond = 1000;
const opensWithinMs = 60_000;
const arrivesWithinMs = 20_000;
const pollEveryMs = 50;
/** Each client reads the answer to its upgrade and the confirmation of its subscription. */
const readsPerOpening = 2;

/** Describes a program's answer to a line. `messages` includes the confirmations of the subscriptions. */
const counts = z.object({
  opened: z.number(),
  messages: z.number(),
  reads: z.number().optional(),
  userUs: z.number().optional(),
  systemUs: z.number().optional(),
  p99Ms: z.number().nullish(),
});

type Counts = z.output<typeof counts>;

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

export async function askCounts(program: Program): Promise<Counts> {
  program.process.stdin?.write('\n');
  return counts.parse(JSON.parse(await program.line()));
}

/**
 * Returns a reader that runs a program with the contract of `floor/main.c`. Its arguments follow `command`. With
 * `isInspected`, it is a Node program that got `inspectorFlags`.
 */
export function countingReader(
  name: string,
  command: readonly [string, ...string[]],
  { isInspected = false } = {},
): Reader {
  return {
    name,
    async with<T>(place: Place, load: Load, work: (held: Held) => Promise<T>): Promise<T> {
      const publisher = new Publisher(place.target);
      const subscription = JSON.stringify({ type: 'subscribe', stream: publisher.stream });
      const words = floorArguments(place, load.subscribers, { subscription });
      const program = new Program(name, [...command, ...words], place.signal);
      const arrived = (messages: number, withinMs: number) => until(program, name, messages, withinMs, place.signal);
      try {
        const inspector = isInspected ? (await program.saw(inspectorLine))[1] : undefined;
        await arrived(load.subscribers, opensWithinMs);
        const { pid } = program;
        return await work({ pid, inspector, deliver: () => deliver(program, publisher, place, load, arrived) });
      } finally {
        await program.stop();
        await publisher.close();
      }
    },
  };
}

type Arrived = (messages: number, withinMs: number) => Promise<Counts>;

async function deliver(
  program: Program,
  publisher: Publisher,
  { signal }: Place,
  load: Load,
  arrived: Arrived,
): Promise<Delivered> {
  const { subscribers, warmUp, broadcasts } = load;
  await publisher.warmUp(load, signal);
  const before = await arrived(subscribers * (1 + warmUp), arrivesWithinMs);
  const startSeconds = cpuSecondsOf(program.pid);
  const atUs = await publisher.broadcast(load, signal);
  const after = await arrived(subscribers * (1 + warmUp + broadcasts), arrivesWithinMs);
  const cpuUs = (cpuSecondsOf(program.pid) - startSeconds) * 1e6;
  const units = after.messages - before.messages;
  const reads = after.reads === undefined ? undefined : after.reads - readsPerOpening * subscribers;
  const readsPerUnit = reads === undefined ? undefined : reads / (after.messages - subscribers);
  const sent = { stream: publisher.stream, atUs };
  return { cpuUs, units, readsPerUnit, p99Ms: after.p99Ms ?? undefined, sent };
}

/** Waits for exactly so many messages. */
async function until(
  program: Program,
  name: string,
  messages: number,
  withinMs: number,
  signal: AbortSignal,
): Promise<Counts> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const found = await askCounts(program);
    if (found.messages === messages) return found;
    if (found.messages > messages || performance.now() > endMs)
      throw new Error(`${name} counts ${found.messages} messages of ${messages}`);
    await delay(pollEveryMs, undefined, { signal });
  }
}
