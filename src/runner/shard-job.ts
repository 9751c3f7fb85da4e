import { availableParallelism } from 'node:os';
import type { JobStatus, ShardResult, ShardSelf } from '../contract/shard.js';
import { type Stop, type StopCode, stopInWords } from '../contract/stop-reasons.js';
import { nowNs } from '../measure/rig/clock.js';
import { coreSpeed } from '../measure/rig/core-speed.js';
import { share } from '../measure/share.js';
import { defaultWorkers, type Job, type PlannedStage, plannedStages } from '../worker/parse-job.js';
import { Crew } from './crew.js';
import type { Identity } from './identity.js';
import { Seconds } from './seconds.js';
import { assemble } from './shard-result.js';
import { ShardSelfMeasure } from './shard-self.js';
import { SpareDescriptors } from './spare-descriptors.js';

const logLines = 200;
const lookEveryMs = 1000;
/** As often as workers tell their figures. */
const measureEveryMs = 250;

/** How the driver opened a gate: `isLast` says that the round behind it, and all further ones, are not to be. */
interface Opening {
  delayMs: number;
  isLast: boolean;
}

/** One job on this shard, from its workers' start to its result: stage by stage, each gate opened by the driver. */
export class ShardJob {
  readonly id: string;
  readonly job: Job;
  /** Resolves when the result is there; rejects only by a fault of ours. */
  readonly done: Promise<void>;
  readonly #identity: Identity;
  readonly #crew: Crew;
  readonly #seconds: Seconds;
  readonly #workers: number;
  readonly #startedNs = nowNs();
  readonly #log: string[] = [];
  readonly #stages: ShardResult['stages'] = [];
  readonly #opened = new Map<string, Opening>();
  readonly #plannedStages: readonly PlannedStage[];
  readonly #spare = new SpareDescriptors();
  readonly #coreSpeedBefore = coreSpeed();
  #stage = 'start';
  #begun: JobStatus['stages'] = [];
  #waitingFor: string | null = null;
  #wake: (() => void) | undefined;
  #stop: Stop | undefined;
  #lastSeenNs = nowNs();
  #self: ShardSelfMeasure | undefined;
  #result: ShardResult | null = null;
  #bodies = new Map<string, Uint8Array>();

  constructor(id: string, job: Job, body: unknown, identity: Identity, maxDurationMs: number) {
    this.id = id;
    this.job = job;
    this.#identity = identity;
    this.#plannedStages = plannedStages({ ...job.scenario, options: job.options }, job.demand.clients);
    const clients = share(job.demand.clients, job.slice.index, job.slice.of);
    // One that was dealt nobody would tell of a target that it never saw.
    this.#workers = Math.min(clients, job.load.workers ?? defaultWorkers(clients, availableParallelism()));
    this.#crew = new Crew(job, body, this.#workers, this.#startedNs, {
      log: (text) => this.#note(text),
      gaveUp: (reason) => this.stop(reason.code, reason.evidence),
      broke: (error) => this.stop('rigFault', `a worker failed: ${error.stack ?? error.message}`),
    });
    this.#seconds = new Seconds(this.#crew, this.#startedNs, job.load.leaseMs);
    this.done = this.#run(maxDurationMs);
  }

  async #run(maxDurationMs: number): Promise<void> {
    const deadline = setTimeout(
      () => this.stop('timeOver', `the job's deadline of ${maxDurationMs} ms passed`),
      maxDurationMs,
    );
    const watch = setInterval(() => this.#watch(), lookEveryMs);
    const measure = setInterval(() => this.#self?.look(this.#crew.progress()), measureEveryMs);
    let isEnough = false;
    for (const { spec, name, gate, round } of this.#plannedStages) {
      if (isEnough && spec.isRound) continue;
      const { delayMs, isLast } = gate === undefined ? { delayMs: 0, isLast: false } : await this.#gate(gate);
      if (this.#stop) break;
      isEnough ||= isLast;
      if (isEnough && spec.isRound) continue;
      if (spec.isMeasured) this.#self ??= new ShardSelfMeasure(this.#crew.progress());
      this.#stage = name;
      const startAtNs = nowNs() + delayMs * 1e6;
      const atMs = (startAtNs - this.#startedNs) / 1e6;
      this.#begun = [{ name, atMs, durationMs: null }];
      await this.#crew.stage(spec.name, startAtNs, round);
      // The first stage opens the clients; what they left no descriptor for, a publish or a look at this process, comes later.
      this.#spare.release();
      this.#stages.push({ name, atMs, durationMs: Math.max(0, (nowNs() - startAtNs) / 1e6) });
      this.#begun = [];
      if (this.#stop) break;
    }
    this.#spare.release();
    clearTimeout(deadline);
    clearInterval(watch);
    clearInterval(measure);
    this.#stage = 'report';
    const figures = this.#crew.progress();
    const self = (this.#self ?? new ShardSelfMeasure(figures)).stop(figures);
    const reports = await this.#crew.report();
    this.#seconds.end();
    const speeds: ShardSelf['coreSpeed'] = [this.#coreSpeedBefore, coreSpeed()];
    const { result, bodies } = await assemble(this.job, this.#identity, reports, {
      workers: this.#workers,
      stages: this.#stages,
      shard: { ...self, coreSpeed: speeds },
      stop: this.#stop ?? { code: 'completed', evidence: [] },
    });
    await this.#crew.dismiss();
    this.#bodies = bodies;
    this.#result = result;
    this.#stage = 'done';
  }

  /** Waits until the gate is open or the job is stopped; gives how the driver opened it. */
  async #gate(name: string): Promise<Opening> {
    this.#waitingFor = name;
    while (!this.#stop && !this.#opened.has(name)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#waitingFor = null;
    return this.#opened.get(name) ?? { delayMs: 0, isLast: false };
  }

  /** Opens a gate; false when no stage of the job has one of that name. */
  openGate(name: string, opening: Opening): boolean {
    if (!this.#plannedStages.some(({ gate }) => gate === name)) return false;
    if (!this.#opened.has(name)) this.#opened.set(name, opening);
    this.#wake?.();
    return true;
  }

  /** Ends the load early and keeps what was measured. The first reason stands; evidence of the same kind is added to it. */
  stop(code: StopCode, ...evidence: string[]): void {
    if (this.#result) return;
    this.#note(stopInWords({ code, evidence }));
    if (this.#stop) {
      if (this.#stop.code === code) this.#stop.evidence.push(...evidence);
      return;
    }
    this.#stop = { code, evidence };
    this.#crew.abort();
    this.#wake?.();
  }

  /** The driver was heard of: its lease begins anew. */
  renew(): void {
    this.#lastSeenNs = nowNs();
  }

  /** Whether the driver was heard of within its lease. */
  get hasDriver(): boolean {
    return this.#silentMs <= this.job.load.leaseMs;
  }

  get #silentMs(): number {
    return (nowNs() - this.#lastSeenNs) / 1e6;
  }

  #watch(): void {
    if (this.hasDriver) return;
    this.stop(
      'interrupted',
      `the driver was silent for ${Math.round(this.#silentMs)} ms, beyond its lease of ${this.job.load.leaseMs} ms`,
    );
  }

  #note(text: string): void {
    this.#log.push(text);
    if (this.#log.length > logLines) this.#log.shift();
  }

  get isDone(): boolean {
    return this.#result !== null;
  }

  status(): JobStatus {
    return {
      jobId: this.id,
      runId: this.job.runId,
      bootId: this.#identity.bootId,
      state: this.isDone ? 'done' : 'running',
      stage: this.#stage,
      waitingFor: this.#waitingFor,
      progress: this.#crew.progress(),
      stages: [...this.#stages, ...this.#begun],
      seconds: this.#seconds.recent,
      log: this.#log,
      elapsedMs: (nowNs() - this.#startedNs) / 1e6,
      result: this.#result,
    };
  }

  /** The encoded body of a metric's samples or of a series, once the job is done. */
  body(name: string): Uint8Array | undefined {
    return this.#bodies.get(name);
  }
}
