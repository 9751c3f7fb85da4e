import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { EngineUse } from '../../../src/contract/engine.js';
import { contractVersion, type JobRequest } from '../../../src/contract/job.js';
import type { JobStatus, ShardResult, ShardSecond } from '../../../src/contract/shard.js';
import { percentile } from '../../../src/measure/samples/distribution.js';
import { decodeCounts, decodeSamples } from '../../../src/measure/samples/encoding.js';
import { NoAnswer } from '../../../src/run/shards/partial-body.js';
import { ShardClient, thisDriver } from '../../../src/run/shards/shard-client.js';
import { withBenchRunner } from '../processes/program.js';
import type { Missing } from '../rounds.js';
import { type Delivered, type Load, nativeLack, type Place, type Reader } from './reader.js';

const opensWithinMs = 180_000;
/** In addition to the time of its schedule. */
const deliversWithinMs = 60_000;
const answersWithinMs = 30_000;
const pollEveryMs = 200;
const startDelayMs = 10;
/** Each client reads the answer to its upgrade and the confirmation of its subscription. */
const readsPerOpening = 2;

/** A busy machine is slow to open clients, which is not measured. */
const patience = { connectTimeoutMs: 60_000, subscribeTimeoutMs: 60_000 };

/** Returns the job of one audience of a fresh run, for one shard. By default it publishes nothing. */
export function audienceJob(
  { endpoints, target }: Place['target'],
  subscribers: number,
  load: JobRequest['load'] = { client: 'wire' },
  options: object = { warmUp: 0, broadcasts: 1, ratePerSecond: 1 },
): JobRequest {
  const runId = randomBytes(4).toString('hex');
  return {
    contract: contractVersion,
    runId,
    idempotencyKey: randomUUID(),
    driver: thisDriver,
    scenario: 'latency',
    protocol: target.protocol,
    target: { wsUrls: endpoints.wsUrls, publishUrl: endpoints.publishUrl },
    stream: `bench-${runId}`,
    slice: { index: 0, of: 1 },
    seed: 0,
    options: { clients: subscribers, payloadBytes: 200, rampRatePerSecond: 2000, ...options },
    load: { ...patience, ...load },
  };
}

/** The clients of a bench-runner, by kind or by engine, as the load of their job has them. */
export const clientSides = {
  wire: { name: 'wire client', load: { client: 'wire' } },
  library: { name: 'library client', load: { client: 'library' } },
  js: { name: 'JS engine', load: { client: 'wire', engine: 'js' } },
  native: { name: 'native engine', load: { client: 'wire', engine: 'native' } },
} as const;

/** Describes a reader. `load` adds to the job's load, `options` to its options. */
interface ReaderOptions {
  name?: string;
  load?: NonNullable<JobRequest['load']>;
  options?: object;
  isInspected?: boolean;
}

/** Returns a reader that runs one job in a whole bench-runner, which publishes itself. */
export async function shardReader(
  side: keyof typeof clientSides,
  { name = clientSides[side].name, load: more, options, isInspected = false }: ReaderOptions = {},
): Promise<Reader | Missing> {
  const lack = side === 'native' ? await nativeLack() : undefined;
  if (lack !== undefined) return { name, lack };
  return {
    name,
    with: ({ target, signal }, load, work) =>
      withBenchRunner(
        signal,
        async ({ url, pid, inspector }) => {
          const { subscribers, ...publishing } = load;
          const ofJob = { ...clientSides[side].load, ...more };
          const job = audienceJob(target, subscribers, ofJob, { ...publishing, ...options });
          const shard = new JobOnShard(new ShardClient(url, undefined), job, signal);
          try {
            await shard.open(subscribers);
            return await work({ pid, inspector, deliver: () => shard.deliver(load) });
          } finally {
            await shard.close();
          }
        },
        { isInspected },
      ),
  };
}

/** Returns the publisher's share of a core. The other readers have no publisher in their process. */
function publisherCores({ rig }: ShardResult): number {
  const { cpuMs, windowMs = 1 } = rig.workers.find(({ role }) => role === 'publisher') ?? {};
  return (cpuMs ?? 0) / windowMs;
}

class JobOnShard {
  readonly #client: ShardClient;
  readonly #job: JobRequest;
  readonly #signal: AbortSignal;
  readonly #seconds = new Map<number, ShardSecond>();
  #id = '';

  constructor(client: ShardClient, job: JobRequest, signal: AbortSignal) {
    this.#client = client;
    this.#job = job;
    this.#signal = signal;
  }

  async open(subscribers: number): Promise<void> {
    await this.#client.info();
    this.#id = await this.#client.post(this.#job);
    const { progress } = await this.#until(({ waitingFor }) => waitingFor === 'start', opensWithinMs);
    if (progress.subscribers !== subscribers)
      throw new Error(`${progress.subscribers} of ${subscribers} clients subscribed`);
  }

  async deliver({ subscribers, warmUp, broadcasts, ratePerSecond }: Load): Promise<Delivered> {
    await this.#openGate('start');
    const scheduleMs = ((warmUp + broadcasts) * 1000) / ratePerSecond;
    await this.#until(({ waitingFor }) => waitingFor === 'drain', scheduleMs + deliversWithinMs);
    await this.#openGate('drain');
    const { result } = await this.#until(({ state }) => state === 'done', deliversWithinMs);
    const all = (warmUp + broadcasts) * subscribers;
    const window = windowOf([...this.#seconds.values()], warmUp * subscribers, all);
    if (!result || result.counts.received !== all)
      throw new Error(`${result?.counts.received} of ${all} deliveries came`);
    const stamps = this.#engineOf(result);
    const delivery = decodeSamples(await this.#client.samples(this.#id, 'delivery'));
    return {
      cpuUs: window.cpuUs - publisherCores(result) * window.elapsedMs * 1000,
      units: window.deliveries,
      readsPerUnit: stamps && (stamps.reads - readsPerOpening * subscribers) / all,
      stamps,
      p99Ms: (percentile(delivery, 0.99) ?? Number.NaN) / 1000,
      sent: { stream: this.#job.stream, atUs: decodeCounts(await this.#client.samples(this.#id, 'sentAtUs')) },
    };
  }

  /** Returns the counts of the only engine; undefined for library clients. Throws if it is not the requested one. */
  #engineOf({ rig: { engines = [] } }: ShardResult): EngineUse | undefined {
    const [use] = engines;
    const { engine } = this.#job.load ?? {};
    if (engine === undefined || use?.name === engine) return use;
    throw new Error(`the ${use?.name} engine ran in place of the ${engine} one`);
  }

  #openGate(name: string): Promise<void> {
    return this.#client.openGate(this.#id, name, { delayMs: startDelayMs, isLast: false });
  }

  async #until(isThere: (status: JobStatus) => boolean, withinMs: number): Promise<JobStatus> {
    const endMs = performance.now() + withinMs;
    for (;;) {
      const status = await this.#status(performance.now() + answersWithinMs);
      for (const second of status.seconds) this.#seconds.set(second.atMs, second);
      if (isThere(status)) return status;
      const where = status.waitingFor === null ? status.stage : `the gate ${status.waitingFor}`;
      if (status.state === 'done') throw new Error(`the job ended in ${where}: ${status.result?.stop.evidence}`);
      if (performance.now() > endMs) throw new Error(`the job stood at ${where} for too long`);
      await delay(pollEveryMs, undefined, { signal: this.#signal });
    }
  }

  /** Returns the status. A machine under load can be silent for some seconds. Throws if none came until `endMs`. */
  async #status(endMs: number): Promise<JobStatus> {
    for (;;) {
      try {
        return await this.#client.status(this.#id, pollEveryMs);
      } catch (error) {
        if (!(error instanceof NoAnswer) || error.isRefused || performance.now() > endMs) throw error;
        await delay(pollEveryMs, undefined, { signal: this.#signal });
      }
    }
  }

  async close(): Promise<void> {
    // The bench-runner ends with this job, so a missing answer means nothing.
    if (this.#id !== '') await this.#end().catch(() => undefined);
    await this.#client.close();
  }

  /** Ends the job. A bench-runner that was asked to end waits until the driver of the job has fetched all. */
  async #end(): Promise<void> {
    await this.#client.end(this.#id, 'cancel');
    while ((await this.#client.status(this.#id, pollEveryMs)).state !== 'done') await delay(pollEveryMs);
    await this.#client.collected(this.#id);
  }
}

/** Describes the work and the CPU use of a bench-runner over whole seconds. */
export interface Window {
  elapsedMs: number;
  deliveries: number;
  cpuUs: number;
}

/**
 * Returns the longest stretch of a shard's seconds in which deliveries lie between two totals. It reaches from the end
 * of the warm-up to the first second that has all. Throws if it has no whole second.
 */
export function windowOf(seconds: readonly ShardSecond[], from: number, to: number): Window {
  const received = ({ progress }: ShardSecond): number => progress.received ?? 0;
  const isOver = seconds.findIndex((second) => received(second) >= to);
  const inside = (isOver < 0 ? seconds : seconds.slice(0, isOver + 1)).filter((second) => received(second) >= from);
  const [first, last] = [inside[0], inside.at(-1)];
  if (!first || !last || first === last) throw new Error('the load ended before a whole second was measured');
  const cpuUs = inside.slice(1).reduce((sum, { atMs, rig }, index) => {
    const sinceMs = atMs - (inside[index] as ShardSecond).atMs;
    return sum + rig.cpuCores * sinceMs * 1000;
  }, 0);
  return { elapsedMs: last.atMs - first.atMs, deliveries: received(last) - received(first), cpuUs };
}
