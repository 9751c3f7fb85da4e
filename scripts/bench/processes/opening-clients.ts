import type { JobRequest } from '../../../src/contract/job.js';
import { nowNs } from '../../../src/measure/rig/clock.js';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import type { ClientEvents } from '../../../src/protocols/protocol.js';
import { parseJob } from '../../../src/scenarios/job.js';
import { dueCount } from '../../../src/scenarios/traffic/schedule.js';
import { openClients } from '../../../src/worker/clients.js';
import { sleep } from '../../../src/worker/timers.js';

/**
 * `opening-clients JOB CONNECTS-PER-SECOND` opens the clients of a job with a worker's parts, evenly spaced and not
 * subscribed. Its line on stdout is the CPU time in microseconds from the first to the last. The end of stdin ends it.
 */
const pollEveryMs = 5;
/** Lets the client library load and its garbage be collected. Neither counts. */
const settleMs = 500;
const { signal } = new AbortController();

const job = parseJob(JSON.parse(process.argv[2] ?? '') as JobRequest);
const ratePerSecond = Number(process.argv[3]);
const { clients: total, payloadBytes } = job.demand;
const counts = { started: 0, opened: 0 };
const nothing = (): void => undefined;
const events: ClientEvents = {
  ...{ ready: nothing, subscribed: nothing, resumed: nothing, deliveries: nothing },
  opened: () => void counts.opened++,
  closed(_client, cause) {
    throw new Error(`a client was closed by ${cause}`);
  },
};
const range = { first: 0, capacity: total };
const clients = await openClients(job, payloadFormat(job.runId, payloadBytes), range, events);
process.stdin.on('end', () => process.exit()).resume();
await sleep(settleMs, signal);
const [startNs, before] = [nowNs(), process.cpuUsage()];
while (counts.opened < total) {
  for (const due = dueCount(nowNs() - startNs, total, ratePerSecond); counts.started < due; counts.started++)
    clients.open(counts.started);
  await sleep(pollEveryMs, signal);
}
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${user + system}\n`);
