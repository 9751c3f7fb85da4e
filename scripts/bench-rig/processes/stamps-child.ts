import type { JobRequest } from '../../../src/contract/job.js';
import { hostNs, nowNs } from '../../../src/measure/rig/clock.js';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import type { ClientEvents, Clients } from '../../../src/protocols/protocol.js';
import { parseJob } from '../../../src/scenarios/job.js';
import { openClients } from '../../../src/worker/clients.js';
import { sleep } from '../../../src/worker/timers.js';
import { serve } from './child.js';

/** Describes a reader's stamp of one delivery, on CLOCK_MONOTONIC in nanoseconds. */
export interface Stamp {
  sequence: number;
  notBeforeNs: number;
  receivedAtNs: number;
}

const pollEveryMs = 5;
const comesWithinMs = 20_000;
const signal = new AbortController().signal;
const stamps: Stamp[] = [];

/** Keeps the event loop busy for a part of each period. */
function block({ blockMs, everyMs }: { blockMs: number; everyMs: number }): void {
  setInterval(() => {
    const endMs = performance.now() + blockMs;
    while (performance.now() < endMs);
  }, everyMs);
}

const commands = {
  /** Opens and subscribes all clients of a job with a worker's parts. */
  async open(request: JobRequest): Promise<void> {
    const job = parseJob(request);
    const { clients: total, payloadBytes } = job.demand;
    let [subscribed, clients] = [0, undefined as Clients | undefined];
    const nothing = (): void => undefined;
    const events: ClientEvents = {
      ...{ opened: nothing, resumed: nothing },
      ready: (client) => clients?.subscribe(client, job.stream),
      subscribed: () => void subscribed++,
      closed: (_client, cause) => {
        throw new Error(`a client was closed by ${cause}`);
      },
      deliveries: (batch) => {
        for (let index = 0; index < batch.count; index++) {
          stamps.push({
            sequence: batch.sequence[index] as number,
            notBeforeNs: hostNs(batch.notBeforeNs[index] as number),
            receivedAtNs: hostNs(batch.receivedAtNs[index] as number),
          });
        }
      },
    };
    const range = { first: 0, capacity: total };
    clients = await openClients(job, payloadFormat(job.runId, payloadBytes), range, events);
    for (let client = 0; client < total; client++) clients.open(client);
    while (subscribed < total) await sleep(pollEveryMs, signal);
  },

  block,

  /** Returns all stamps once there are `count`, or after 20 s without any. */
  async stamps(count: number): Promise<Stamp[]> {
    const endNs = nowNs() + comesWithinMs * 1e6;
    while (stamps.length < count && nowNs() < endNs) await sleep(pollEveryMs, signal);
    return stamps;
  },
};

export type StampsCommands = typeof commands;

serve(commands);
