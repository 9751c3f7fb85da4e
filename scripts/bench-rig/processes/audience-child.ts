import type { JobRequest } from '../../../src/contract/job.js';
import { nowNs } from '../../../src/measure/rig/clock.js';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import { Recorder, StampTable } from '../../../src/measure/samples/recorder.js';
import type { ClientEvents } from '../../../src/protocols/protocol.js';
import { parseJob } from '../../../src/scenarios/job.js';
import { dueCount } from '../../../src/scenarios/pace.js';
import type { Role } from '../../../src/scenarios/scenario.js';
import { openClients } from '../../../src/worker/clients.js';
import { sleep } from '../../../src/worker/timers.js';
import { serve } from './child.js';
import { settled } from './collected.js';

const receiveWithinMs = 20_000;
const pollEveryMs = 5;
/** Lets the client library load and its garbage be collected. Neither counts. */
const settleMs = 500;

const signal = new AbortController().signal;
let role: Role | undefined;
let baseRssBytes = 0;
let windowStart = process.cpuUsage();

async function collectedRssBytes(): Promise<number> {
  const { rssBytes } = await settled(
    () => globalThis.gc?.(),
    () => process.memoryUsage.rss(),
  );
  return rssBytes;
}

const commands = {
  /** Opens and checks all clients of the job, with the role and the client library of a worker. */
  async open(request: JobRequest): Promise<void> {
    const job = parseJob(request);
    const { clients, broadcasts, payloadBytes } = job.demand;
    const board = new StampTable(broadcasts);
    // One stamp for all broadcasts lets every delivery be timed, as in a run. The publisher's process has another time
    // origin.
    board.sentAtNs.fill(nowNs());
    board.intendedAtNs.fill(nowNs());
    role = await job.scenario.audience({
      options: job.options,
      load: job.load,
      stream: job.stream,
      board,
      slice: job.slice,
      seed: 1,
      firstClient: 0,
      nowNs,
      sleptNs: () => 0,
      ask: async () => ({ cause: 'connect-refused' }),
      sleep,
      recorder: () => new Recorder(job.load.samplesCap),
      log: (text) => void process.stderr.write(`${text}\n`),
      giveUp: ({ evidence }) => {
        throw new Error(evidence);
      },
      clientCount: clients,
      totalClients: clients,
      async openClients(events) {
        const opened = await openClients(
          job,
          payloadFormat(job.runId, payloadBytes),
          { first: 0, capacity: clients },
          events,
        );
        // The library is loaded. From here on, only clients grow.
        baseRssBytes = await collectedRssBytes();
        return opened;
      },
    });
    await role.stage('ramp', nowNs(), signal);
    const { subscribers } = role.progress();
    if (subscribers === clients) return role.stage('publish', nowNs(), signal);
    throw new Error(`${subscribers} of ${clients} clients subscribed: ${JSON.stringify(role.report().causes)}`);
  },

  /** Opens all clients, evenly spaced and not subscribed. Returns the CPU time in microseconds until all are open. */
  async openOnly({ request, ratePerSecond }: { request: JobRequest; ratePerSecond: number }): Promise<NodeJS.CpuUsage> {
    const job = parseJob(request);
    const { clients: total, payloadBytes } = job.demand;
    let [started, opened] = [0, 0];
    const nothing = (): void => undefined;
    const events: ClientEvents = {
      opened: () => void opened++,
      closed: (_client, cause) => {
        throw new Error(`a client was closed by ${cause}`);
      },
      ...{ ready: nothing, subscribed: nothing, resumed: nothing, deliveries: nothing },
    };
    const range = { first: 0, capacity: total };
    const clients = await openClients(job, payloadFormat(job.runId, payloadBytes), range, events);
    await sleep(settleMs, signal);
    const [startNs, before] = [nowNs(), process.cpuUsage()];
    while (opened < total) {
      for (const due = dueCount(nowNs() - startNs, total, ratePerSecond); started < due; started++)
        clients.open(started);
      await sleep(pollEveryMs, signal);
    }
    return process.cpuUsage(before);
  },

  /** Returns the growth of the resident memory since before the first client, in bytes, after garbage collection. */
  async growth(): Promise<number> {
    return (await collectedRssBytes()) - baseRssBytes;
  },

  /** Returns the total of deliveries once they are `count`, or after 20 s without any. */
  async received(count: number): Promise<number> {
    const received = (): number => role?.progress().received ?? 0;
    const endNs = nowNs() + receiveWithinMs * 1e6;
    while (received() < count && nowNs() < endNs) await sleep(pollEveryMs, signal);
    return received();
  },

  startWindow(): void {
    windowStart = process.cpuUsage();
  },

  endWindow(): NodeJS.CpuUsage {
    return process.cpuUsage(windowStart);
  },
};

export type AudienceCommands = typeof commands;

serve(commands);
