import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { execaSync } from 'execa';
import { quantileSorted } from 'simple-statistics';
import { type WebSocket, WebSocketServer } from 'ws';
import { hostNs, nowNs } from '../../../src/measure/rig/clock.js';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import { onPath } from '../../../src/targets/launch/on-path.js';
import { targetByName } from '../../../src/targets/list.js';
import type { BenchContext, Bound, Finding } from '../judge.js';
import type { MeasuredCommands, Stamp } from '../processes/measured-child.js';
import { MeasuredProcess, Program } from '../processes/program.js';
import { nativeLack } from '../readers/reader.js';
import { audienceJob, clientSides } from '../readers/shard.js';

/** Describes the errors of stamps against the times of the `send()` calls, in milliseconds. */
interface StampErrors {
  /** Distance of exact stamps from their `send()` call, or of all stamps of a reader without exact ones. */
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  exact: number;
  of: number;
  /** Counts the intervals that do not reach the `send()` call. */
  missed: number;
}

/** Two processes read the origin of their clocks with a difference of some hundred nanoseconds. */
const clocksApartNs = 1000;

/** Compares stamps with the times before and after each `send()`, in turn, by sequence number. */
export function stampErrors(stamps: readonly Stamp[], sendNs: readonly number[]): StampErrors {
  const errorOf = ({ sequence, receivedAtNs }: Stamp): number => {
    const [beforeNs, afterNs] = [sendNs[2 * sequence] as number, sendNs[2 * sequence + 1] as number];
    return Math.max(0, receivedAtNs - afterNs, beforeNs - receivedAtNs) / 1e6;
  };
  const isMissed = ({ sequence, notBeforeNs, receivedAtNs }: Stamp): boolean =>
    notBeforeNs > (sendNs[2 * sequence + 1] as number) + clocksApartNs ||
    receivedAtNs < (sendNs[2 * sequence] as number) - clocksApartNs;
  const exact = stamps.filter(({ notBeforeNs, receivedAtNs }) => notBeforeNs === receivedAtNs);
  const errors = (exact.length > 0 ? exact : stamps).map(errorOf).sort((a, b) => a - b);
  const at = (share: number): number => (errors.length === 0 ? Number.NaN : quantileSorted(errors, share));
  return {
    ...{ p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) },
    exact: exact.length,
    of: stamps.length,
    missed: stamps.filter(isMissed).length,
  };
}

const clients = 500;
const everyMs = 1;
const payloadBytes = 200;
const block = { blockMs: 50, everyMs: 200 };
const milliseconds = (ms: number): string => `${ms.toFixed(3)} ms`;

/** Holds the disturbances during the reading of the stamps. */
export const troubles = { blocked: 'JS loop blocked 50 of 200 ms', competitor: 'a competitor on the core' } as const;

type Trouble = keyof typeof troubles;

/** Compares the stamps of both engines with the times of `send()` calls, while JavaScript or the core is busy. */
export async function engineStamps(
  bounds: Record<`${Trouble}Error` | `${Trouble}Missed`, Bound>,
  context: BenchContext,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const trouble of Object.keys(troubles) as Trouble[]) {
    const [error, missed] = [bounds[`${trouble}Error`], bounds[`${trouble}Missed`]];
    for (const engine of ['js', 'native'] as const) {
      const lack = (engine === 'native' ? await nativeLack() : undefined) ?? lackOfTrouble(trouble);
      if (lack !== undefined) {
        if (engine === 'native') findings.push({ bound: error, lack }, { bound: missed, lack });
        continue;
      }
      const found = await measure(engine, trouble, context);
      const figures = `p50 ${milliseconds(found.p50Ms)}, max ${milliseconds(found.maxMs)}`;
      const detail = `${figures}; ${found.exact} of ${found.of} exact, ${found.missed} intervals without the truth`;
      context.say(`  ${clientSides[engine].name}, ${troubles[trouble]}: p99 ${milliseconds(found.p99Ms)}, ${detail}`);
      if (engine === 'native') {
        const value = found.exact > 0 ? found.p99Ms : Number.NaN;
        findings.push({ bound: error, value, detail }, { bound: missed, value: found.missed, detail: '' });
      } else findings.push({ what: `  ${clientSides[engine].name}`, measured: milliseconds(found.p99Ms), detail });
    }
  }
  return findings;
}

function lackOfTrouble(trouble: Trouble): string | undefined {
  if (trouble === 'blocked') return undefined;
  if (availableParallelism() < 2) return 'needs two cores: the sender has the other one';
  return onPath('taskset') === undefined ? 'needs taskset: apt-get install util-linux' : undefined;
}

async function measure(
  engine: 'js' | 'native',
  trouble: Trouble,
  { isQuick, signal }: BenchContext,
): Promise<StampErrors> {
  const count = isQuick ? 1000 : 10_000;
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/ws' });
  const reader = new MeasuredProcess<MeasuredCommands>(signal);
  let competitor: Program | undefined;
  try {
    const subscribers = subscribersOf(server);
    await once(server, 'listening');
    const target = targetByName('ws')!;
    const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
    const job = audienceJob({ target, endpoints: target.endpoints(address) }, clients, clientSides[engine].load);
    await reader.ask('openStamping', job);
    if (trouble === 'blocked') await reader.ask('block', block);
    else competitor = compete(reader.pid, signal);
    const sendNs = await send(subscribers, job.runId, count, signal);
    const stamps = await reader.ask('stamps', count);
    if (stamps.length !== count) throw new Error(`${stamps.length} of ${count} frames came`);
    return stampErrors(stamps, sendNs);
  } finally {
    await competitor?.stop();
    await reader.stop();
    server.close();
  }
}

/** Confirms each subscription. Returns all that subscribed so far. */
function subscribersOf(server: WebSocketServer): readonly WebSocket[] {
  const subscribers: WebSocket[] = [];
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const { stream } = JSON.parse(data.toString()) as { stream: string };
      socket.send(JSON.stringify({ type: 'subscribed', stream }));
      subscribers.push(socket);
    });
  });
  return subscribers;
}

/** Sends frame n to subscriber n modulo their count. Returns CLOCK_MONOTONIC before and after each `send()`. */
async function send(to: readonly WebSocket[], runId: string, frames: number, signal: AbortSignal): Promise<number[]> {
  const format = payloadFormat(runId, payloadBytes);
  const times: number[] = [];
  const startMs = performance.now();
  for (let sequence = 0; sequence < frames; sequence++) {
    const earlyMs = startMs + sequence * everyMs - performance.now();
    if (earlyMs > 0) await delay(earlyMs, undefined, { signal });
    const text = format.text(0, sequence);
    const beforeNs = nowNs();
    // Node hands a frame to the kernel in this call, as long as the kernel accepts it.
    to[sequence % to.length]?.send(text);
    times.push(hostNs(beforeNs), hostNs(nowNs()));
  }
  return times;
}

function compete(pid: number, signal: AbortSignal): Program {
  const core = availableParallelism() - 1;
  // All its threads, and those that it starts later.
  execaSync('taskset', ['-a', '-c', '-p', `${core}`, `${pid}`]);
  const endless = 'while :; do :; done';
  return new Program('competitor', ['taskset', '--cpu-list', String(core), 'sh', '-c', endless], { signal });
}
