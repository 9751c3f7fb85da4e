import type { ShardSecond } from '../contract/shard.js';
import { nowNs } from '../measure/rig/clock.js';
import { coresBetween, readCores, stolenShare } from '../measure/rig/cores.js';
import { readRssBytes } from '../measure/rig/machine.js';
import type { WorkerPool } from './worker-pool.js';

const secondMs = 1000;
/** Figures that workers send at the end of a second arrive within this time. */
const afterMs = 125;
/** Every status carries all kept seconds, so a longer silence leaves a gap in the course of a run. */
const mostKept = 60;
/** A driver takes some seconds beyond the lease to notice. */
const keptBeyondLease = 5;

/** What a job did, second by second since its start: figures of its workers, CPU and memory of this process. */
export class Seconds {
  readonly #pool: Pick<WorkerPool, 'second'>;
  readonly #startedNs: number;
  readonly #kept: number;
  #recent: ShardSecond[] = [];
  #timer: NodeJS.Timeout | undefined;
  #cpu = process.cpuUsage();
  #cpuNs = nowNs();
  #cores = readCores();
  /** The worst of seconds that count to the next one. */
  #loopDelayMs = 0;

  /** `leaseMs`: how long the driver can be silent without missing a second. */
  constructor(pool: Pick<WorkerPool, 'second'>, startedNs: number, leaseMs: number) {
    this.#pool = pool;
    this.#startedNs = startedNs;
    this.#kept = Math.min(mostKept, Math.ceil(leaseMs / secondMs) + keptBeyondLease);
    this.#await();
  }

  #await(): void {
    const sinceMs = (nowNs() - this.#startedNs) / 1e6;
    const dueMs = (Math.floor((sinceMs - afterMs) / secondMs) + 1) * secondMs + afterMs;
    this.#timer = setTimeout(() => {
      this.#take();
      this.#await();
    }, dueMs - sinceMs);
  }

  #take(): void {
    const { progress, sentNs, bins, ...second } = this.#pool.second();
    const loopDelayMs = Math.max(this.#loopDelayMs, second.loopDelayMs);
    this.#loopDelayMs = loopDelayMs;
    const atMs = Math.max(0, (sentNs - this.#startedNs) / 1e6);
    // A second without figures counts to the next.
    if (atMs <= (this.#recent.at(-1)?.atMs ?? 0)) return;
    this.#loopDelayMs = 0;
    const stolen = this.#stolenShare();
    const rig = {
      loopDelayMs,
      cpuCores: this.#cpuCores(),
      rssBytes: readRssBytes() ?? null,
      ...(stolen !== undefined && { stolenShare: stolen }),
    };
    // Bins add up since the start, so those of the last second are enough, and a status stays small.
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
