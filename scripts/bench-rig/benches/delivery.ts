import { setTimeout as delay } from 'node:timers/promises';
import type { JobRequest } from '../../../src/contract/job.js';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { fetchStats } from '../../../src/targets/launch/stats.js';
import { count } from '../../../src/units/words.js';
import { parseJob } from '../../../src/worker/parse-job.js';
import { HttpPublish } from '../../../src/worker/publish.js';
import type { Bench, BenchContext } from '../bench.js';
import { audienceJob, type ClientKind, withAudience } from '../processes/audience.js';
import type { AudienceCommands } from '../processes/audience-child.js';
import type { Child } from '../processes/child.js';
import { withTarget } from '../processes/target.js';

const subscribers = 1000;
/** Compiles the hot path of either client before it is measured. */
const warmUp = 50;
/** 40,000 deliveries a second at most: the dearer client has time to spare on one core. */
const ratePerSecond = 40;
/** After so many broadcasts all must have arrived. The answer costs the audience CPU that is no delivery's, so it is not asked for after each. */
const awaitEvery = 5;

/** CPU in microseconds of one window, or of several. */
interface Cost {
  deliveries: number;
  userUs: number;
  systemUs: number;
  serverUs: number;
}

/** CPU per delivery of our wire clients beside that of the real library, from the socket to the books, at the same broadcasts of the same server. */
export const delivery: Bench = {
  name: 'delivery',
  bounds: ['deliveryCpu'],
  async run(context) {
    const rounds = context.isQuick ? 1 : 2;
    const broadcasts = context.isQuick ? 200 : 1000;
    const costs: Record<ClientKind, Cost[]> = { wire: [], library: [] };
    await withTarget(async (target) => {
      for (let round = 1; round <= rounds; round++) {
        for (const client of ['wire', 'library'] as const) {
          const cost = await measure(client, broadcasts, target, context);
          const { measured, detail } = inWords(cost);
          context.say(`  ${client}, round ${round}: ${measured} (${detail})`);
          costs[client].push(cost);
        }
      }
    });
    const [wire, library] = [sum(costs.wire), sum(costs.library)];
    const size = `${count(subscribers)} subscribers, ${count(wire.deliveries)} deliveries each`;
    return [
      { bound: 'deliveryCpu', value: cpuPerDelivery(wire) / cpuPerDelivery(library), detail: size },
      { what: '  wire client', ...inWords(wire) },
      { what: '  library client', ...inWords(library) },
    ];
  },
};

async function measure(
  client: ClientKind,
  broadcasts: number,
  target: RunningTarget,
  { signal }: BenchContext,
): Promise<Cost> {
  const statsUrl = target.endpoints.statsUrl!;
  const job = audienceJob(target, { client, subscribers, warmUp, broadcasts, ratePerSecond });
  return withAudience(job, signal, async (audience) => {
    await broadcast(job, audience, 0, warmUp, signal);
    await audience.ask('startWindow');
    const before = await fetchStats(statsUrl);
    await broadcast(job, audience, warmUp, broadcasts, signal);
    const { user, system } = await audience.ask('endWindow');
    const after = await fetchStats(statsUrl);
    const serverUs = after.cpuUserUs + after.cpuSystemUs - before.cpuUserUs - before.cpuSystemUs;
    return { deliveries: broadcasts * subscribers, userUs: user, systemUs: system, serverUs };
  });
}

/**
 * Publishes `broadcasts` from sequence number `first` on, evenly spaced and never in a burst: frames that pile up on a socket leave it in one read, and
 * the read is most of what a delivery costs. Throws when a broadcast is not accepted or does not reach everybody.
 */
async function broadcast(
  request: JobRequest,
  audience: Child<AudienceCommands>,
  first: number,
  broadcasts: number,
  signal: AbortSignal,
): Promise<void> {
  const job = parseJob(request);
  const http = new HttpPublish(job);
  const format = payloadFormat(job.runId, job.demand.payloadBytes);
  try {
    for (let sequence = first; sequence < first + broadcasts; sequence++) {
      const published = http.publish(format.text(0, sequence), () => undefined);
      const [answer] = await Promise.all([published, delay(1000 / ratePerSecond, undefined, { signal })]);
      const isAccepted = typeof answer === 'number' && answer >= 200 && answer < 300;
      if (!isAccepted) throw new Error(`a publish was answered with ${answer}`);
      if ((sequence + 1 - first) % awaitEvery === 0) await reached(audience, (sequence + 1) * subscribers);
    }
    await reached(audience, (first + broadcasts) * subscribers);
  } finally {
    await http.close();
  }
}

async function reached(audience: Child<AudienceCommands>, due: number): Promise<void> {
  const received = await audience.ask('received', due);
  if (received !== due) throw new Error(`${received} deliveries where ${due} were due`);
}

function sum(costs: readonly Cost[]): Cost {
  const total = { deliveries: 0, userUs: 0, systemUs: 0, serverUs: 0 };
  for (const cost of costs) {
    for (const key of Object.keys(total) as (keyof Cost)[]) total[key] += cost[key];
  }
  return total;
}

function cpuPerDelivery({ userUs, systemUs, deliveries }: Cost): number {
  return (userUs + systemUs) / deliveries;
}

/** Of one delivery: the clients' CPU, and where it went. */
function inWords({ userUs, systemUs, serverUs, deliveries }: Cost): { measured: string; detail: string } {
  const each = (us: number): string => (us / deliveries).toFixed(2);
  return {
    measured: `${each(userUs + systemUs)} us`,
    detail: `user ${each(userUs)}, sys ${each(systemUs)}; server ${each(serverUs)} us`,
  };
}
