import { setTimeout as delay } from 'node:timers/promises';
import { type JobRequest, parseJob } from '../../../src/contract/job.js';
import { payloadFormat } from '../../../src/measure/payload.js';
import { count } from '../../../src/report/figures.js';
import type { RunningTarget } from '../../../src/targets/process.js';
import { fetchStats } from '../../../src/targets/stats.js';
import { HttpPublish } from '../../../src/worker/publish.js';
import type { Bench, BenchContext } from '../bench.js';
import { audienceJob, type ClientKind, withAudience } from '../processes/audience.js';
import { withTarget } from '../processes/target.js';

const subscribers = 1000;
/** Compiles the hot path of either client before it is measured. */
const warmUp = 50;
/** 40,000 deliveries a second: the dearer client keeps up on one core, so frames do not pile up in front of it and leave in one read. */
const ratePerSecond = 40;

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
    await publish(job, 0, warmUp, signal);
    const before = await audience.ask('startWindow', warmUp * subscribers);
    const serverBefore = await fetchStats(statsUrl);
    await publish(job, warmUp, broadcasts, signal);
    const { received, userUs, systemUs } = await audience.ask('endWindow', (warmUp + broadcasts) * subscribers);
    const serverAfter = await fetchStats(statsUrl);
    const deliveries = received - before;
    if (deliveries !== broadcasts * subscribers) {
      throw new Error(`the ${client} clients got ${deliveries} of ${broadcasts * subscribers} deliveries`);
    }
    const serverUs =
      serverAfter.cpuUserUs + serverAfter.cpuSystemUs - serverBefore.cpuUserUs - serverBefore.cpuSystemUs;
    return { deliveries, userUs, systemUs, serverUs };
  });
}

/** Publishes `broadcasts` from sequence number `first` on, on an open schedule. Throws when one is not accepted. */
async function publish(request: JobRequest, first: number, broadcasts: number, signal: AbortSignal): Promise<void> {
  const job = parseJob(request);
  const http = new HttpPublish(job);
  const format = payloadFormat(job.runId, job.demand.payloadBytes);
  const startMs = performance.now();
  const answers: Promise<number | string>[] = [];
  try {
    for (let i = 0; i < broadcasts; i++) {
      await delay(Math.max(0, startMs + (i * 1000) / ratePerSecond - performance.now()), undefined, { signal });
      answers.push(http.publish(format.text(0, first + i), () => undefined));
    }
    for (const answer of await Promise.all(answers)) {
      const isAccepted = typeof answer === 'number' && answer >= 200 && answer < 300;
      if (!isAccepted) throw new Error(`a publish was answered with ${answer}`);
    }
  } finally {
    await http.close();
  }
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
