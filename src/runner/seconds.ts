import { enginesTogether } from '../contract/engine.js';
import { digestOf } from '../contract/job.js';
import type { ShardResult, ShardSecond, ShardSelf } from '../contract/shard.js';
import { isSilent, sumByCause, talkTogether } from '../measure/causes.js';
import { slotTimes } from '../measure/paired/slots.js';
import { nowNs } from '../measure/rig/clock.js';
import {
  type CoreTicks,
  coresBetween,
  readCores,
  readMachine,
  readRssBytes,
  stolenShare,
} from '../measure/rig/machine.js';
import { encodeCounts, encodeSamples } from '../measure/samples/encoding.js';
import { longestOf, mergeSamples, sumCounts, sumSeries } from '../measure/samples/sample-sum.js';
import { keptKind, sampleCount } from '../measure/samples/samples.js';
import type { Job } from '../scenarios/job.js';
import { moveIn, type WorkerReport } from '../worker/messages.js';
import type { Identity } from './shard-self.js';
import type { WorkerPool } from './worker-pool.js';

const readEveryMs = 20;
/** The kernel counts in units of 10 ms. */
const tickUs = 10_000;

/** Reads the core time that the hypervisor took, often enough to assign it to a slot. */
export class StolenTime {
  readonly #atNs: number[] = [];
  readonly #stolenUs: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(read: () => readonly CoreTicks[] | undefined = readCores, now: () => number = nowNs) {
    const look = (): void => {
      const cores = read();
      if (!cores) return;
      this.#atNs.push(now());
      this.#stolenUs.push(cores.reduce((sum, { stolen }) => sum + stolen, 0) * tickUs);
    };
    look();
    this.#timer = setInterval(look, readEveryMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Returns the stolen core time of each slot in microseconds, from the start of each slot and their length. */
  during(startsNs: Float64Array, slotNs: number): Uint32Array {
    return Uint32Array.from(startsNs, (startNs) => Math.round(this.#until(startNs + slotNs) - this.#until(startNs)));
  }

  #until(ns: number): number {
    const after = this.#atNs.findIndex((atNs) => atNs >= ns);
    if (after === 0) return this.#stolenUs[0]!;
    if (after < 0) return this.#stolenUs.at(-1) ?? 0;
    const [fromNs, toNs] = [this.#atNs[after - 1]!, this.#atNs[after]!];
    const [from, to] = [this.#stolenUs[after - 1]!, this.#stolenUs[after]!];
    return from + ((to - from) * (ns - fromNs)) / (toNs - fromNs);
  }
}

/** Returns the core time in microseconds that the hypervisor took in the slot of each measured round. */
export function stolenInSlots(
  { slots, options }: Job,
  { time, startAtNs }: { time: StolenTime; startAtNs: number },
): Uint32Array {
  if (!slots) return new Uint32Array(0);
  const starts = slotTimes(slots, slots.place).map((ns) => startAtNs + ns);
  return time.during(starts.subarray(Number(options.warmUp ?? 0)), slots.slotsMs[slots.place]! * 1e6);
}

const secondMs = 1000;
/** Time in which figures arrive that workers send at the end of a second. */
const afterMs = 125;
/** Every status carries all kept seconds. A longer silence leaves a gap in the timeline of a run. */
const mostKept = 60;
/** A driver needs some seconds beyond the lease to notice. */
const keptBeyondLease = 5;

/** Records each second of a job since its start: figures of its workers, CPU and memory of this process. */
export class Seconds {
  readonly #kept: number;
  #recent: ShardSecond[] = [];
  #timer: NodeJS.Timeout | undefined;
  #cpu = process.cpuUsage();
  #cpuNs = nowNs();
  #cores = readCores();
  /** Worst delay of the seconds that count to the next one. */
  #loopDelayMs = 0;

  /** `leaseMs`: longest silence of the driver without a missing second. */
  constructor(
    private readonly pool: Pick<WorkerPool, 'second'>,
    private readonly startedNs: number,
    leaseMs: number,
  ) {
    this.#kept = Math.min(mostKept, Math.ceil(leaseMs / secondMs) + keptBeyondLease);
    this.#await();
  }

  #await(): void {
    const sinceMs = (nowNs() - this.startedNs) / 1e6;
    const dueMs = (Math.floor((sinceMs - afterMs) / secondMs) + 1) * secondMs + afterMs;
    this.#timer = setTimeout(() => {
      this.#take();
      this.#await();
    }, dueMs - sinceMs);
  }

  #take(): void {
    const { progress, sentNs, bins, ...second } = this.pool.second();
    const loopDelayMs = Math.max(this.#loopDelayMs, second.loopDelayMs);
    this.#loopDelayMs = loopDelayMs;
    const atMs = Math.max(0, (sentNs - this.startedNs) / 1e6);
    // A second without new figures counts to the next one.
    if (atMs <= (this.#recent.at(-1)?.atMs ?? 0)) return;
    this.#loopDelayMs = 0;
    const stolen = this.#stolenShare();
    const rig = {
      loopDelayMs,
      cpuCores: this.#cpuCores(),
      rssBytes: readRssBytes() ?? null,
      ...(stolen !== undefined && { stolenShare: stolen }),
    };
    // Bins are sums since the start, so those of the last second are enough and a status stays small.
    const before = this.#recent.slice(1 - this.#kept).map(({ bins: _, ...earlier }) => earlier);
    this.#recent = [...before, { atMs, progress, rig, bins }];
  }

  #cpuCores(): number {
    const { user, system } = process.cpuUsage(this.#cpu);
    const sinceNs = nowNs() - this.#cpuNs;
    this.#cpu = process.cpuUsage();
    this.#cpuNs = nowNs();
    return sinceNs > 0 ? ((user + system) * 1000) / sinceNs : 0;
  }

  #stolenShare(): number | undefined {
    const [before, after] = [this.#cores, readCores()];
    this.#cores = after ?? before;
    return before && after && stolenShare(coresBetween(before, after));
  }

  get recent(): ShardSecond[] {
    return this.#recent;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#take();
  }
}

interface Parts extends Pick<ShardResult, 'workers' | 'stages' | 'stop'> {
  series: Record<string, Uint32Array>;
  shard: ShardSelf;
}

/** Merges the reports of the workers into the shard's result and the bodies of its samples. */
export async function assembleShardResult(
  job: Job,
  identity: Identity,
  reports: readonly WorkerReport[],
  { shard, series: ofShard, ...parts }: Parts,
): Promise<{ result: ShardResult; bodies: Map<string, Uint8Array> }> {
  const bodies = new Map<string, Uint8Array>();
  const samples: ShardResult['samples'] = {};
  const reported = reports.flatMap((report) => Object.keys(report.samples));
  const declared = Object.entries(job.scenario.metrics).flatMap(([name, { isOptional }]) => (isOptional ? [] : [name]));
  for (const metric of new Set([...declared, ...reported])) {
    const merged = mergeSamples(reports.flatMap((report) => report.samples[metric] ?? []).map(moveIn));
    bodies.set(metric, await encodeSamples(merged));
    samples[metric] = { kind: keptKind(merged), count: sampleCount(merged) };
  }
  const series = { ...sumSeries(reports.map((report) => report.series)), ...ofShard };
  for (const [name, values] of Object.entries(series)) bodies.set(name, await encodeCounts(values));
  const engines = enginesTogether(reports.flatMap((report) => report.engines));
  const talk = talkTogether(reports.map((report) => report.talk));
  const result: ShardResult = {
    slice: job.slice,
    ...identity,
    // A governor may have changed since the process began.
    machine: readMachine(),
    ...parts,
    counts: sumCounts(reports.map((report) => report.counts)),
    ...sumByCause(reports),
    samples,
    series: Object.keys(series),
    digests: Object.fromEntries([...bodies].map(([name, body]) => [name, digestOf(body)])),
    longestMs: longestOf(reports.map((report) => report.longestMs ?? {})),
    rig: { shard, workers: reports.map((report) => report.self), ...(engines.length > 0 && { engines }) },
    ...(!isSilent(talk) && { talk }),
  };
  return { result, bodies };
}
