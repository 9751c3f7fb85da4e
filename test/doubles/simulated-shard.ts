import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contractVersion, type JobRequest } from '../../src/contract/job.js';
import {
  bootIdHeader,
  type JobStatus,
  type ShardInfo,
  type ShardNow,
  type ShardResult,
} from '../../src/contract/shard.js';
import { partOfBody } from '../../src/runner/http.js';
import type { SimulatedLoad } from './simulated-fleet.js';

const gates = ['start', 'drain'] as const;
const json = { 'content-type': 'application/json' };
const machine = { kernel: 'simulated', cpu: 'simulated', cores: 1, memoryBytes: 1, runtime: 'simulated' };

/** Counts the requests of a driver. */
export interface AskedOfShard {
  statuses: number;
  /** Bytes of all answers but samples. */
  statusBytes: number;
  bodies: number;
  /** Bytes of samples and series. */
  bodyBytes: number;
}

/**
 * Simulates a bench-runner without load. It keeps the contract over HTTP and answers a `latency` job with made-up
 * samples.
 */
export class SimulatedShard {
  readonly asked: AskedOfShard = { statuses: 0, statusBytes: 0, bodies: 0, bodyBytes: 0 };
  readonly #load: SimulatedLoad;
  readonly #bootId = randomUUID();
  readonly #server: Server;
  readonly #waiters = new Set<() => void>();
  #job: JobRequest | undefined;
  #startedMs = 0;
  #stage = 'start';
  #waitingFor: (typeof gates)[number] | null = null;
  #stages: JobStatus['stages'] = [];
  #result: ShardResult | null = null;

  private constructor(load: SimulatedLoad) {
    this.#load = load;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Listens on a free port of loopback. */
  static async start(load: SimulatedLoad): Promise<SimulatedShard> {
    const shard = new SimulatedShard(load);
    shard.#server.listen(0, '127.0.0.1');
    await once(shard.#server, 'listening');
    return shard;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get isPublishing(): boolean {
    return this.#stage === 'publish' && this.#waitingFor === null;
  }

  /** Returns true if the driver has confirmed that it has all samples. */
  get isCollected(): boolean {
    return this.#result !== null && this.#job === undefined;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader(bootIdHeader, this.#bootId);
    const url = new URL(request.url ?? '/', 'http://shard');
    const [, root, , part, name = ''] = url.pathname.split('/');
    if (part === 'samples') return this.#sendBody(request, response, name);
    if (root === 'info') return this.#send(response, this.#info());
    if (root === 'now') return this.#send(response, this.#now());
    if (request.method === 'POST') return this.#send(response, await this.#order(request, part, name));
    this.asked.statuses++;
    await this.#news(Number(url.searchParams.get('waitMs') ?? 0));
    this.#send(response, this.#status());
  }

  async #order(request: IncomingMessage, part: string | undefined, gate: string): Promise<object> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (part === 'collected') {
      this.#job = undefined;
      return {};
    }
    if (part === 'gates') {
      if (gate === this.#waitingFor) this.#begin(gate);
      return this.#status();
    }
    this.#job = JSON.parse(Buffer.concat(chunks).toString()) as JobRequest;
    this.#startedMs = performance.now();
    this.#begin('ramp');
    return { jobId: 'simulated' };
  }

  /** Begins a stage. At its end the next gate is reached. After the last stage the job is done. */
  #begin(stage: 'ramp' | (typeof gates)[number]): void {
    const { publishMs, otherMs } = this.#load;
    const [name, lastsMs] = stage === 'start' ? ['publish', publishMs] : [stage, otherMs];
    const atMs = performance.now() - this.#startedMs;
    this.#change(name, null, [...this.#stages, { name, atMs, durationMs: null }]);
    setTimeout(() => {
      const ended = this.#stages.map((each) => ({ ...each, durationMs: each.durationMs ?? lastsMs }));
      const next = { ramp: 'start', start: 'drain', drain: null } as const;
      if (stage === 'drain') this.#result = this.#load.result(this.#job as JobRequest, this.#identity(), ended);
      this.#change(stage === 'drain' ? 'done' : name, next[stage], ended);
    }, lastsMs).unref();
  }

  #change(stage: string, waitingFor: (typeof gates)[number] | null, stages: JobStatus['stages']): void {
    this.#stage = stage;
    this.#waitingFor = waitingFor;
    this.#stages = stages;
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }

  /** Waits for the end, a gate or a new stage, as a bench-runner does. */
  async #news(waitMs: number): Promise<void> {
    if (waitMs === 0 || this.#result || this.#waitingFor !== null) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(wake);
        resolve();
      }, waitMs);
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiters.add(wake);
    });
  }

  #identity(): Pick<ShardInfo, 'bootId' | 'clockId' | 'version' | 'machine'> {
    return { bootId: this.#bootId, clockId: this.#bootId, version: 'simulated', machine };
  }

  #info(): ShardInfo {
    const unlimited = { descriptors: null, descriptorsUsed: null, sourcePorts: null, portsTaken: null };
    return {
      contract: contractVersion,
      ...this.#identity(),
      engine: { name: 'js', why: 'simulated' },
      limits: {
        ...{ clients: 1e9, publishesPerSecond: 1e9, payloadBytes: 1e9, durationMs: 1e9, bodyBytes: 1e9 },
        ...{ ...unlimited, connectionTracking: null, memoryAvailableBytes: null, machineMemoryAvailableBytes: null },
      },
      allowTargets: ['loopback'],
      allowsModules: false,
    };
  }

  #now(): ShardNow {
    const { runId, driver } = this.#job ?? {};
    const isHeld = runId !== undefined && driver !== undefined && this.#result === null;
    return {
      wallMs: Date.now(),
      monotonicMs: performance.now(),
      holder: isHeld ? { runId, driver, heldMs: performance.now() - this.#startedMs } : null,
    };
  }

  #status(): JobStatus {
    const elapsedMs = performance.now() - this.#startedMs;
    return {
      jobId: 'simulated',
      runId: this.#job?.runId ?? '',
      bootId: this.#bootId,
      state: this.#result ? 'done' : 'running',
      stage: this.#stage,
      waitingFor: this.#waitingFor,
      progress: this.#load.progress,
      stages: this.#stages,
      seconds: this.#load.seconds(elapsedMs),
      log: [],
      elapsedMs,
      result: this.#result,
    };
  }

  #send(response: ServerResponse, value: object): void {
    const body = JSON.stringify(value);
    this.asked.statusBytes += body.length;
    response.writeHead(200, json).end(body);
  }

  #sendBody({ headers }: IncomingMessage, response: ServerResponse, name: string): void {
    this.asked.bodies++;
    const body = this.#load.bodies[name];
    if (!body) {
      response.writeHead(404, json).end('{"problems":[]}');
      return;
    }
    const { status, headers: told, part } = partOfBody(body, headers.range);
    this.asked.bodyBytes += part.length;
    response.writeHead(status, { ...told, 'content-type': 'application/octet-stream' }).end(part);
  }
}
