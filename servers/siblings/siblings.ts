import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { BesideStats, TargetStats } from '../../src/targets/target.js';
import type { Publish, SiblingStart, ToFirst, ToSibling } from './sibling.js';

/** Siblings get less time to end than the first process (`foreground.ts`), so that it outlives them. */
const killAfterMs = 500;

/** What siblings run, where they listen, what happens if one ends, and what is called with what they say. */
export interface SiblingPlan {
  /** A program that calls `runSibling`. */
  program: URL;
  /** What it is built from, beside its address. */
  facts: object;
  ports: readonly number[];
  /** When another one takes its port after its end; without it, a sibling that ends is lost. */
  reviveAfterMs: number | undefined;
  /** A sibling published; the other siblings have it already. */
  published?(stream: string, text: string): void;
  /** A sibling ended by itself or can't be reached; `why` names it. */
  lost(why: string): void;
}

interface Sibling {
  process: ChildProcess;
  /** Zero before it listens. */
  port: number;
  /** Who waits for its stats, in order; they get nothing if it ends. */
  asking: ((stats: TargetStats | undefined) => void)[];
}

/** The further processes of a target: a star of channels in which each text travels once to each process. */
export class Siblings {
  /** In the order of their ports, from their fork on, so that a sibling misses no publish once it listens. */
  #siblings: Sibling[] = [];
  #isClosing = false;

  constructor(private readonly plan: SiblingPlan) {}

  /** No more start at once than there are cores: the others would only wait for one. */
  async start(count: number, host: string): Promise<number[]> {
    let next = 0;
    const startInTurn = async (): Promise<void> => {
      while (next < count) {
        const index = next++;
        await this.#startOne(host, this.plan.ports[index] ?? 0, index);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, startInTurn));
    return this.#siblings.map(({ port }) => port);
  }

  relay(stream: string, text: string): void {
    for (const sibling of this.#siblings) this.#say(sibling, { kind: 'publish', stream, text });
  }

  async stats(): Promise<SiblingPart[]> {
    const parts = await Promise.all(
      this.#siblings.filter(isServing).map(async (sibling) => {
        const answered = new Promise<TargetStats | undefined>((resolve) => sibling.asking.push(resolve));
        this.#say(sibling, { kind: 'askStats' });
        const stats = await answered;
        return stats === undefined ? [] : [{ port: sibling.port, stats }];
      }),
    );
    return parts.flat();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(
      this.#siblings.filter(isAlive).map(async ({ process: child }) => {
        const exited = new Promise((resolve) => child.once('exit', resolve));
        if (child.connected) child.disconnect();
        const kill = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
        await exited;
        clearTimeout(kill);
      }),
    );
  }

  #startOne(host: string, port: number, index: number): Promise<Sibling> {
    const { program, facts, reviveAfterMs } = this.plan;
    const start: SiblingStart = { host, port, isRevived: reviveAfterMs !== undefined, facts };
    // stdout is for the first process's one line.
    const child = fork(program, [JSON.stringify(start)], { stdio: ['ignore', 2, 2, 'ipc'] });
    const sibling: Sibling = { process: child, port: 0, asking: [] };
    this.#siblings[index] = sibling;
    const isRevived = (): boolean => this.plan.reviveAfterMs !== undefined && sibling.port > 0;
    child.on('error', (error) => {
      // A message to a sibling that just ended finds no channel; its exit comes next.
      if (!isRevived()) this.#lose(sibling, error.message);
    });
    child.once('exit', (code, signal) => {
      for (const answer of sibling.asking.splice(0)) answer(undefined);
      if (isRevived()) void this.#revive(sibling, host);
      else this.#lose(sibling, signal ?? `exit code ${code}`);
    });
    return new Promise((resolve) => {
      child.on('message', (message: ToFirst) => {
        if (message.kind === 'publish') this.#published(sibling, message);
        else if (message.kind === 'stats') sibling.asking.shift()?.(message.stats);
        else {
          sibling.port = message.port;
          resolve(sibling);
        }
      });
    });
  }

  /** Nobody is subscribed to a sibling that is down, so it misses no publish. */
  async #revive(ended: Sibling, host: string): Promise<void> {
    await delay(this.plan.reviveAfterMs);
    if (this.#isClosing) return;
    await this.#startOne(host, ended.port, this.#siblings.indexOf(ended));
  }

  #published(from: Sibling, message: Publish): void {
    for (const sibling of this.#siblings) if (sibling !== from) this.#say(sibling, message);
    this.plan.published?.(message.stream, message.text);
  }

  #say({ process: child }: Sibling, message: ToSibling): void {
    // A closed channel belongs to a sibling whose exit comes next.
    if (child.connected) child.send(message);
  }

  #lose({ process: child, port }: Sibling, how: string): void {
    if (!this.#isClosing) this.plan.lost(`process ${child.pid} on port ${port} is lost (${how})`);
  }
}

function isServing(sibling: Sibling): boolean {
  return sibling.port > 0 && isAlive(sibling);
}

function isAlive({ process: child }: Sibling): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** One process's part of a target. */
export interface SiblingPart {
  port: number;
  stats: TargetStats;
}

/** Stats of all processes: sums, of the event loops the worst, and all else of the first process. */
export function sumOf(first: SiblingPart, others: readonly SiblingPart[]): TargetStats {
  const parts = [first, ...others];
  const all = parts.map(({ stats }) => stats);
  const sum = (key: 'rssBytes' | 'cpuUserUs' | 'cpuSystemUs' | 'connections') =>
    all.reduce((total, each) => total + each[key], 0);
  return {
    ...first.stats,
    rssBytes: sum('rssBytes'),
    cpuUserUs: sum('cpuUserUs'),
    cpuSystemUs: sum('cpuSystemUs'),
    connections: sum('connections'),
    eventLoopDelayP99Ms: Math.max(...all.map(({ eventLoopDelayP99Ms = 0 }) => eventLoopDelayP99Ms)),
    eventLoopUtilization: Math.max(...all.map(({ eventLoopUtilization = 0 }) => eventLoopUtilization)),
    processes: parts.map(({ port, stats: { pid, rssBytes, cpuUserUs, cpuSystemUs, connections } }) => {
      return { pid, port, rssBytes, cpuUserUs, cpuSystemUs, connections };
    }),
  };
}

/** The same with a program that serves no clients and belongs to the target: its memory and CPU are in the sums. */
export function withBeside(stats: TargetStats, beside: BesideStats): TargetStats {
  return {
    ...stats,
    rssBytes: stats.rssBytes + beside.rssBytes,
    cpuUserUs: stats.cpuUserUs + beside.cpuUserUs,
    cpuSystemUs: stats.cpuSystemUs + beside.cpuSystemUs,
    besides: [beside],
  };
}
