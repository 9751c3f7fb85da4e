import { setTimeout as delay } from 'node:timers/promises';
import type { JobRequest } from '../../../src/contract/job.js';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import { parseJob } from '../../../src/scenarios/job.js';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { fetchStats } from '../../../src/targets/launch/stats.js';
import { HttpPublish } from '../../../src/worker/publish.js';
import { type Bench, type BenchContext, type Bound, printers } from '../bench.js';
import { type CpuCost, compareCpu } from '../compare-cpu.js';
import { audienceJob, type ClientKind, withAudience } from '../processes/audience.js';
import type { AudienceCommands } from '../processes/audience-child.js';
import type { MeasuredProcess } from '../processes/child.js';
import { withTarget } from '../processes/places.js';

const subscribers = 1000;
/** Compiles the hot path of either client. */
const warmUp = 50;
/** Sets 40,000 deliveries a second. One core can handle more with either client. */
const ratePerSecond = 40;
/** Checks arrival after so many broadcasts, not after each, because the answer costs the audience CPU. */
const awaitEvery = 5;

const cpu: Bound = { what: 'CPU per delivery, wire client / library client', atMost: 0.75, print: printers.ratio };

/**
 * Compares the CPU per delivery, from socket to ledger, of wire clients and the real library. Server and broadcasts are
 * the same.
 */
export const delivery: Bench = {
  name: 'delivery',
  bounds: [cpu],
  run: (context) =>
    withTarget((target) =>
      compareCpu(cpu, context, (client) => measure(client, context.isQuick ? 200 : 1000, target, context)),
    ),
};

async function measure(
  client: ClientKind,
  broadcasts: number,
  target: RunningTarget,
  { signal }: BenchContext,
): Promise<CpuCost> {
  const statsUrl = target.endpoints.statsUrl!;
  const job = audienceJob(target, client, subscribers, { warmUp, broadcasts, ratePerSecond });
  return withAudience(job, signal, async (audience) => {
    await broadcast(job, audience, 0, warmUp, signal);
    await audience.ask('startWindow');
    const before = await fetchStats(statsUrl);
    await broadcast(job, audience, warmUp, broadcasts, signal);
    const { user, system } = await audience.ask('endWindow');
    const after = await fetchStats(statsUrl);
    const serverUs = after.cpuUserUs + after.cpuSystemUs - before.cpuUserUs - before.cpuSystemUs;
    return { units: broadcasts * subscribers, userUs: user, systemUs: system, serverUs };
  });
}

/** Publishes evenly from sequence number `first` on. Throws if a publish is not accepted or misses a subscriber. */
async function broadcast(
  request: JobRequest,
  audience: MeasuredProcess<AudienceCommands>,
  first: number,
  broadcasts: number,
  signal: AbortSignal,
): Promise<void> {
  const job = parseJob(request);
  const http = new HttpPublish(job);
  const format = payloadFormat(job.runId, job.demand.payloadBytes);
  try {
    for (let sequence = first; sequence < first + broadcasts; sequence++) {
      const published = http.publish(format.text(0, sequence));
      const [answer] = await Promise.all([published, delay(1000 / ratePerSecond, undefined, { signal })]);
      const isAccepted = typeof answer === 'number' && answer >= 200 && answer < 300;
      if (!isAccepted) throw new Error(`a publish was answered with ${answer}`);
      const sent = sequence + 1;
      if ((sent - first) % awaitEvery > 0 && sent < first + broadcasts) continue;
      const received = await audience.ask('received', sent * subscribers);
      if (received !== sent * subscribers) throw new Error(`${received} of ${sent * subscribers} deliveries came`);
    }
  } finally {
    await http.close();
  }
}
