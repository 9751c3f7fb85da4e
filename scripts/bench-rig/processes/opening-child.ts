import type { JobRequest } from '../../../src/contract/job.js';
import { nowNs } from '../../../src/measure/rig/clock.js';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import type { ClientEvents } from '../../../src/protocols/protocol.js';
import { dueCount } from '../../../src/scenarios/pace.js';
import { openClients } from '../../../src/worker/clients.js';
import { parseJob } from '../../../src/worker/parse-job.js';
import { sleep } from '../../../src/worker/timers.js';
import { serve } from './serve.js';

const tickMs = 5;
/** The loading of a client library and its collection are not the opening of clients. */
const settleMs = 500;

const signal = new AbortController().signal;

const commands = {
  /** Opens all clients of the job, evenly spaced and not subscribed; gives the CPU time in microseconds from the first start to the last open WebSocket. */
  async open({ request, ratePerSecond }: { request: JobRequest; ratePerSecond: number }): Promise<NodeJS.CpuUsage> {
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
    const clients = await openClients(
      job,
      payloadFormat(job.runId, payloadBytes),
      { first: 0, capacity: total },
      events,
    );
    await sleep(settleMs, signal);
    const [startNs, before] = [nowNs(), process.cpuUsage()];
    while (opened < total) {
      for (const due = dueCount(nowNs() - startNs, total, ratePerSecond); started < due; started++)
        clients.open(started);
      await sleep(tickMs, signal);
    }
    return process.cpuUsage(before);
  },
};

export type OpeningCommands = typeof commands;

serve(commands);
