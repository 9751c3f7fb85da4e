import type { JobRequest } from '../../../src/contract/job.js';
import { hostNs, nowNs } from '../../../src/measure/rig/clock.js';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import type { ClientEvents, Clients } from '../../../src/protocols/protocol.js';
import { parseJob } from '../../../src/scenarios/job.js';
import { dueCount } from '../../../src/scenarios/pace.js';
import { openClients } from '../../../src/worker/clients.js';
import { sleep } from '../../../src/worker/timers.js';
import { serve } from './program.js';

const pollEveryMs = 5;
/** Lets the client library load and its garbage be collected. Neither counts. */
const settleMs = 500;
const stampsWithinMs = 20_000;
const { signal } = new AbortController();

/** Describes a reader's stamp of one delivery, on CLOCK_MONOTONIC in nanoseconds. */
export interface Stamp {
  sequence: number;
  notBeforeNs: number;
  receivedAtNs: number;
}

const stamps: Stamp[] = [];

/** Makes the clients of a job with a worker's parts. None is open yet. */
async function clientsOf(request: JobRequest, events: Partial<ClientEvents>) {
  const job = parseJob(request);
  const { clients: total, payloadBytes } = job.demand;
  const nothing = (): void => undefined;
  const closed: ClientEvents['closed'] = (_client, cause) => {
    throw new Error(`a client was closed by ${cause}`);
  };
  const all = { opened: nothing, ready: nothing, subscribed: nothing, resumed: nothing, deliveries: nothing, closed };
  const range = { first: 0, capacity: total };
  const clients = await openClients(job, payloadFormat(job.runId, payloadBytes), range, { ...all, ...events });
  return { clients, total, stream: job.stream };
}

function block({ blockMs, everyMs }: { blockMs: number; everyMs: number }): void {
  const endMs = performance.now() + blockMs;
  while (performance.now() < endMs);
  // The rest lets the process notice the end of its parent.
  setTimeout(() => block({ blockMs, everyMs }), everyMs - blockMs);
}

const commands = {
  /** Opens all clients, evenly spaced and not subscribed. Returns the CPU time in microseconds until all are open. */
  async openOnly({ request, ratePerSecond }: { request: JobRequest; ratePerSecond: number }): Promise<NodeJS.CpuUsage> {
    let [started, opened] = [0, 0];
    const { clients, total } = await clientsOf(request, { opened: () => void opened++ });
    await sleep(settleMs, signal);
    const [startNs, before] = [nowNs(), process.cpuUsage()];
    while (opened < total) {
      for (const due = dueCount(nowNs() - startNs, total, ratePerSecond); started < due; started++)
        clients.open(started);
      await sleep(pollEveryMs, signal);
    }
    return process.cpuUsage(before);
  },

  async openStamping(request: JobRequest): Promise<void> {
    let subscribed = 0;
    let clients: Clients | undefined;
    const made = await clientsOf(request, {
      ready: (client) => clients?.subscribe(client, made.stream),
      subscribed: () => void subscribed++,
      deliveries: ({ count, sequence, notBeforeNs, receivedAtNs }) => {
        for (let index = 0; index < count; index++)
          stamps.push({
            sequence: sequence[index] as number,
            notBeforeNs: hostNs(notBeforeNs[index] as number),
            receivedAtNs: hostNs(receivedAtNs[index] as number),
          });
      },
    });
    ({ clients } = made);
    for (let client = 0; client < made.total; client++) clients.open(client);
    while (subscribed < made.total) await sleep(pollEveryMs, signal);
  },

  async stamps(count: number): Promise<Stamp[]> {
    const endNs = nowNs() + stampsWithinMs * 1e6;
    while (stamps.length < count && nowNs() < endNs) await sleep(pollEveryMs, signal);
    return stamps;
  },

  block(part: Parameters<typeof block>[0]): void {
    setTimeout(() => block(part));
  },
};

export type MeasuredCommands = typeof commands;

serve(commands);
