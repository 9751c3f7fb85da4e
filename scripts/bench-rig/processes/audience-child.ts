import { setTimeout as delay } from 'node:timers/promises';
import type { JobRequest } from '../../../src/contract/job.js';
import { nowNs } from '../../../src/measure/rig/clock.js';
import { Board } from '../../../src/measure/samples/board.js';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import { createRecorder } from '../../../src/measure/samples/recorder.js';
import type { Role } from '../../../src/scenarios/scenario.js';
import { openClients } from '../../../src/worker/clients.js';
import { parseJob } from '../../../src/worker/parse-job.js';
import { sleep } from '../../../src/worker/timers.js';
import { serve } from './serve.js';

const receiveWithinMs = 20_000;
const pollEveryMs = 5;
/** Pages that a collection frees go back to the kernel a little after it. */
const afterCollectionMs = 500;
const settledShare = 0.005;

const signal = new AbortController().signal;
let role: Role | undefined;
let baseRssBytes = 0;
let windowStart = process.cpuUsage();

function received(): number {
  return role?.progress().received ?? 0;
}

/** Resident memory once collecting garbage no longer makes it less. */
async function collectedRssBytes(): Promise<number> {
  for (let leastBytes = Number.POSITIVE_INFINITY; ; ) {
    globalThis.gc?.();
    await delay(afterCollectionMs);
    const rssBytes = process.memoryUsage.rss();
    if (rssBytes > leastBytes * (1 - settledShare)) return Math.min(rssBytes, leastBytes);
    leastBytes = rssBytes;
  }
}

async function awaitReceived(count: number): Promise<void> {
  const endNs = nowNs() + receiveWithinMs * 1e6;
  while (received() < count && nowNs() < endNs) await sleep(pollEveryMs, signal);
}

const commands = {
  /** Opens and proves all clients of the job, through the same role and the same clients as a worker does. */
  async open(request: JobRequest): Promise<void> {
    const job = parseJob(request);
    const { clients, broadcasts, payloadBytes } = job.demand;
    const board = new Board(broadcasts);
    // The publisher has another process and so another time origin: one stamp for all lets every delivery be timed, as in a run. Nobody reads the times.
    board.sentAtNs.fill(nowNs());
    board.intendedAtNs.fill(nowNs());
    role = job.scenario.audience({
      options: job.options,
      load: job.load,
      stream: job.stream,
      board,
      slice: job.slice,
      seed: 1,
      firstClient: 0,
      nowNs,
      sleep,
      recorder: () => createRecorder(job.load.samplesCap),
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
        // From here on, with the library loaded, what grows is the clients.
        baseRssBytes = await collectedRssBytes();
        return opened;
      },
    });
    await role.stage('ramp', nowNs(), signal);
    const { subscribers } = role.progress();
    if (subscribers === clients) return role.stage('publish', nowNs(), signal);
    throw new Error(`${subscribers} of ${clients} clients subscribed: ${JSON.stringify(role.report().causes)}`);
  },

  /** Growth of the resident memory since before the first client, in bytes, garbage collected. */
  async growth(): Promise<number> {
    return (await collectedRssBytes()) - baseRssBytes;
  },

  /** Deliveries in all, once they are `count`, or after 20 s without them. */
  async received(count: number): Promise<number> {
    await awaitReceived(count);
    return received();
  },

  /** Starts to count CPU time. */
  startWindow(): void {
    windowStart = process.cpuUsage();
  },

  /** CPU time since then, in microseconds. */
  endWindow(): NodeJS.CpuUsage {
    return process.cpuUsage(windowStart);
  },
};

export type AudienceCommands = typeof commands;

serve(commands);
