import { availableParallelism } from 'node:os';
import type { RunState } from '../contract/job.js';
import { problemError } from '../contract/problems.js';
import type { JobStatus, SendsQuery, ShardResult } from '../contract/shard.js';
import { type Stop, type StopCode, stopInWords } from '../contract/stop-reasons.js';
import { flowFaultName } from '../flow/module/load-flow.js';
import { hostNs, nowNs } from '../measure/rig/clock.js';
import { coreSpeed } from '../measure/rig/machine.js';
import { encodeSends, sharedSends } from '../measure/samples/mark-table.js';
import { shareOf } from '../measure/share.js';
import type { Job } from '../scenarios/job.js';
import { defaultWorkers, shownLoad } from '../scenarios/load-options.js';
import { behindLogins, crowdGate, loginStage, type PlannedStage, plannedStages } from '../scenarios/rounds.js';
import { exchangeGate } from '../scenarios/scenario.js';
import type { UserFiles } from '../worker/messages.js';
import { Holder } from './holder.js';
import { SpareDescriptors } from './machine-limits.js';
import { assembleShardResult, Seconds, StolenTime, stolenInSlots } from './seconds.js';
import { type Identity, ShardSelfMeasure } from './shard-self.js';
import { WorkerPool } from './worker-pool.js';

const logLines = 200;
const lookEveryMs = 1000;
/** Longest wait of a shard that shall finish for the sends of others. */
const exchangeWithinMs = 5000;
const measureEveryMs = 250;

/** The driver's order to open a gate. With `isLast`, this round and all later ones are skipped. */
interface Opening {
  startAtNs: number;
  isLast: boolean;
}

/** Runs one job on this shard: starts workers, runs stage after stage, waits at gates, and makes the result. */
export class ShardJob {
  /** Resolves when the result is ready. Rejects only by a bug. */
  readonly done: Promise<void>;
  readonly holder: Holder;
  readonly #pool: WorkerPool;
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
  /** Callers that wait for a change of the gate, the stage, the stop reason or the result. */
  readonly #waiters = new Set<() => void>();
  #stop: Stop | undefined;
  #isFinishing = false;
  /** Stop reason of a load that was ended with nothing left to arrive. */
  #end: Stop = { code: 'completed', evidence: [] };
  /** Set while the running stage only waits for pending deliveries. `#round` is the round of that stage. */
  #isClosing = false;
  #round = 0;
  #self: ShardSelfMeasure | undefined;
  #stolen: { time: StolenTime; startAtNs: number } | undefined;
  #result: ShardResult | null = null;
  #bodies = new Map<string, Uint8Array>();

  constructor(
    readonly id: string,
    readonly job: Job,
    private readonly identity: Identity,
    { maxDurationMs, ...files }: { maxDurationMs: number } & UserFiles,
  ) {
    this.holder = new Holder(job.driver, job.load.leaseMs, () => this.isDone);
    const stages = plannedStages({ ...job.scenario, options: job.options }, job.demand.clients);
    this.#plannedStages = job.protocolOptions.login === undefined ? stages : behindLogins(stages);
    const clients = shareOf(job.demand.clients, job.slice.index, job.slice.of);
    // A worker without clients would report a dead target.
    this.#workers = Math.min(clients, job.load.workers ?? defaultWorkers(clients, availableParallelism()));
    this.#pool = new WorkerPool(job, { workers: this.#workers, ...files }, this.#startedNs, {
      log: (text) => this.#note(text),
      gaveUp: (reason) => this.stop(reason.code, reason.evidence),
      broke: (error) => this.#broken(error),
    });
    this.#seconds = new Seconds(this.#pool, this.#startedNs, job.load.leaseMs);
    this.done = this.#run(maxDurationMs);
  }

  #broken(error: Error): void {
    // All workers load the same files.
    if (this.#stop?.evidence.includes(error.message)) return;
    if (error.name === flowFaultName) this.stop('flowFailed', error.message);
    else this.stop('rigFault', `a worker failed: ${error.stack ?? error.message}`);
  }

  async #run(maxDurationMs: number): Promise<void> {
    const deadline = setTimeout(
      () => this.stop('timeOver', `the job's deadline of ${maxDurationMs} ms passed`),
      maxDurationMs,
    );
    const watch = setInterval(() => this.#watch(), lookEveryMs);
    const measure = setInterval(() => this.#self?.look(this.#pool.progress()), measureEveryMs);
    let isEnough = false;
    for (const { spec, name, gate, round } of this.#plannedStages) {
      if (isEnough && spec.isRound) continue;
      const { startAtNs, isLast } = gate === undefined ? atOnce() : await this.#gate(gate);
      if (this.#stop) break;
      if (this.#isFinishing && !(spec.isClosing && round === this.#round)) continue;
      this.#isClosing = spec.isClosing === true;
      this.#round = round;
      isEnough ||= isLast;
      if (isEnough && spec.isRound) continue;
      if (spec.isMeasured) this.#self ??= new ShardSelfMeasure(this.#pool.progress());
      this.#stage = name;
      const atMs = (startAtNs - this.#startedNs) / 1e6;
      if (this.job.slots && spec.name === this.job.scenario.slots?.stage)
        this.#stolen = { time: new StolenTime(), startAtNs };
      await this.#pool.stage(spec.name, startAtNs, round, () => {
        this.#begun = [{ name, atMs, durationMs: null }];
        this.#wake();
      });
      this.#stolen?.time.stop();
      // The ramp opens the clients. Later, publishes and readings of this process need descriptors.
      if (spec !== loginStage) this.#spare.release();
      this.#stages.push({ name, atMs, durationMs: Math.max(0, (nowNs() - startAtNs) / 1e6) });
      this.#begun = [];
      if (this.#stop) break;
    }
    this.#spare.release();
    clearTimeout(deadline);
    clearInterval(watch);
    clearInterval(measure);
    this.#stage = 'report';
    const figures = this.#pool.progress();
    const self = (this.#self ?? new ShardSelfMeasure(figures)).stop(figures);
    const reports = await this.#pool.report();
    this.#seconds.end();
    const series = { ...(this.#stolen && { stolenUs: stolenInSlots(this.job, this.#stolen) }) };
    const assembling = assembleShardResult(this.job, this.identity, reports, {
      series,
      workers: this.#workers,
      stages: this.#stages,
      shard: { ...self, coreSpeed: [this.#coreSpeedBefore, coreSpeed()] },
      stop: this.#stop ?? this.#end,
    });
    const [{ result, bodies }] = await Promise.all([assembling, this.#pool.close()]);
    this.#bodies = bodies;
    this.#result = result;
    this.#stage = 'done';
    this.#wake();
  }

  /** Waits at a gate. A run that its user ends waits for none but that of the exchange with other shards. */
  async #gate(name: string): Promise<Opening> {
    const late = AbortSignal.timeout(exchangeWithinMs);
    late.onabort = () => this.#wake();
    const isExchange = name === exchangeGate && this.job.slice.of > 1;
    this.#waitingFor = name;
    this.#wake();
    while (!this.#stop && !this.#opened.has(name) && (!this.#isFinishing || (isExchange && !late.aborted)))
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    this.#waitingFor = null;
    return this.#opened.get(name) ?? atOnce();
  }

  #wake(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const wake of waiters) wake();
  }

  /** Resolves when the job is done, waits at a gate or has begun a stage, and after `withinMs` at the latest. */
  async news(withinMs: number): Promise<void> {
    const overNs = nowNs() + withinMs * 1e6;
    const begun = this.#begun;
    const hasNews = (): boolean => this.isDone || this.#waitingFor !== null || this.#begun !== begun;
    for (let leftMs = withinMs; leftMs > 0 && !hasNews(); ) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#waiters.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, leftMs);
        this.#waiters.add(wake);
      });
      leftMs = (overNs - nowNs()) / 1e6;
    }
  }

  startOf(gate: string): number | undefined {
    return this.#opened.get(gate)?.startAtNs;
  }

  openGate(name: string, opening: Opening): boolean {
    const isCrowds = name.startsWith(crowdGate);
    if (!isCrowds && !this.#plannedStages.some(({ gate }) => gate === name)) return false;
    if (this.#opened.has(name)) return true;
    this.#opened.set(name, opening);
    if (isCrowds) this.#pool.tell({ type: 'gateOpened', name });
    this.#wake();
    return true;
  }

  /** Ends the load early and keeps the measurements. The first reason stays, and more evidence for it is added. */
  stop(code: StopCode, ...evidence: string[]): void {
    if (this.#result) return;
    this.#note(stopInWords({ code, evidence }));
    if (this.#stop) {
      if (this.#stop.code === code) this.#stop.evidence.push(...evidence);
      return;
    }
    this.#stop = { code, evidence };
    this.#pool.tell({ type: 'abort' });
    this.#wake();
  }

  /** Ends the load for that reason, and waits for pending deliveries. Before the load, stops at once. */
  finish(end = this.#end): void {
    if (!this.#self) this.stop('endedByDriver');
    if (this.#stop || this.#isFinishing) return;
    this.#end = end;
    this.#isFinishing = true;
    this.#note('asked to finish');
    if (!this.#isClosing) this.#pool.tell({ type: 'endStage' });
    this.#wake();
  }

  sends(): Uint8Array {
    const { marks } = this.#pool;
    if (!marks) throw problemError('notFound', `scenario ${this.job.scenario.name} declares no sends`);
    return encodeSends(marks, hostNs(0));
  }

  /** Takes the sends of another shard. Without a shift, it has the clock of this host. Throws `ProblemError`. */
  learn(bytes: Uint8Array, { shiftMs, errorMs = 0 }: SendsQuery): void {
    try {
      const { buffer, originNs } = sharedSends(bytes);
      const shiftNs = shiftMs === undefined ? originNs - hostNs(0) : shiftMs * 1e6;
      const clock = { shiftNs, errorNs: errorMs * 1e6, atNs: nowNs() };
      this.#pool.tell({ type: 'sends', buffer, clock });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw problemError('badBody', error.message);
    }
  }

  #watch(): void {
    if (this.holder.isAwaited) return;
    const lease = `beyond its lease of ${this.job.load.leaseMs} ms`;
    this.stop('interrupted', `the driver was silent for ${Math.round(this.holder.silentMs)} ms, ${lease}`);
  }

  #note(text: string): void {
    this.#log.push(text);
    if (this.#log.length > logLines) this.#log.shift();
  }

  get elapsedMs(): number {
    return (nowNs() - this.#startedNs) / 1e6;
  }

  get isDone(): boolean {
    return this.#result !== null;
  }

  status(): JobStatus {
    return {
      jobId: this.id,
      runId: this.job.runId,
      bootId: this.identity.bootId,
      state: this.isDone ? 'done' : 'running',
      stage: this.#stage,
      waitingFor: this.#waitingFor,
      progress: this.#pool.progress(),
      stages: [...this.#stages, ...this.#begun],
      seconds: this.#seconds.recent,
      log: this.#log,
      elapsedMs: this.elapsedMs,
      result: this.#result,
    };
  }

  state(): RunState {
    const { scenario, options, load, slice, seed, plan } = this.job;
    return {
      order: { scenario: scenario.name, options, load: shownLoad(load), slice, seed, plan },
      status: this.status(),
      gates: Object.fromEntries([...this.#opened].map(([gate, { isLast }]) => [gate, isLast])),
      ...this.holder.state,
    };
  }

  body(name: string): Uint8Array | undefined {
    return this.#bodies.get(name);
  }
}

const atOnce = (): Opening => ({ startAtNs: nowNs(), isLast: false });
