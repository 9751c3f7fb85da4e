import type { ShardSecond } from '../contract/shard.js';
import { nowNs } from '../measure/rig/clock.js';
import { readRssBytes } from '../measure/rig/machine.js';
import type { Crew } from './crew.js';

const secondMs = 1000;
/** What the workers tell at the end of a second is on its way for so long. */
const afterMs = 125;
/** Of a longer lease the course of a run that hears nothing for longer has a hole: each status carries all that is kept. */
const mostKept = 60;
/** Beyond the lease a driver takes some seconds to notice. */
const keptBeyondLease = 5;

/** The course of a job, second by second since its start: what its workers tell, and what this process takes. */
export class Seconds {
  readonly #crew: Pick<Crew, 'second'>;
  readonly #startedNs: number;
  readonly #kept: number;
  #recent: ShardSecond[] = [];
  #timer: NodeJS.Timeout | undefined;
  #cpu = process.cpuUsage();
  #cpuNs = nowNs();
  /** Of seconds that belong to the next. */
  #loopDelayMs = 0;

  /** `leaseMs`: for how long the driver may be silent without missing a second. */
  constructor(crew: Pick<Crew, 'second'>, startedNs: number, leaseMs: number) {
    this.#crew = crew;
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
    const { progress, toldNs, loopDelayMs: latelyMs, bins } = this.#crew.second();
    const loopDelayMs = Math.max(this.#loopDelayMs, latelyMs);
    this.#loopDelayMs = loopDelayMs;
    const atMs = Math.max(0, (toldNs - this.#startedNs) / 1e6);
    // A second in which no worker told anything belongs to the next.
    if (atMs <= (this.#recent.at(-1)?.atMs ?? 0)) return;
    this.#loopDelayMs = 0;
    const rig = { loopDelayMs, cpuCores: this.#cpuCores(), rssBytes: readRssBytes() ?? null };
    // Bins have added up since the start: those of the last second say all, and a status stays small.
    const before = this.#recent.slice(1 - this.#kept).map(({ bins: _, ...second }) => second);
    this.#recent = [...before, { atMs, progress, rig, bins }];
  }

  #cpuCores(): number {
    const { user, system } = process.cpuUsage(this.#cpu);
    const sinceNs = nowNs() - this.#cpuNs;
    this.#cpu = process.cpuUsage();
    this.#cpuNs = nowNs();
    return sinceNs > 0 ? ((user + system) * 1000) / sinceNs : 0;
  }

  /** The last seconds, oldest first. */
  get recent(): ShardSecond[] {
    return this.#recent;
  }

  /** Ends the course with what the workers told last. */
  end(): void {
    clearTimeout(this.#timer);
    this.#take();
  }
}
