import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { BesideStats, TargetStats } from '../../src/targets/target.js';
import type { Publish, SiblingStart, ToFirst, ToSibling } from './sibling.js';

/** Siblings get less time to end than the first process (`foreground.ts`), so that it outlives them. */
const killAfterMs = 500;

/** Describes the program of siblings, their ports, their restarts and the callbacks for their messages. */
export interface SiblingPlan {
  program: URL;
  /** Holds the parts that it is built from, besides its address. */
  facts: object;
  ports: readonly number[];
  /** Another sibling takes its port this long after its end. If undefined, a sibling that ends is lost. */
  reviveAfterMs: number | undefined;
  /** Called when a sibling published. The other siblings already have the text. */
  published?(stream: string, text: string): void;
  /** Called when a sibling ended by itself or can't be reached. `why` names it. */
  lost(why: string): void;
}

interface Sibling {
  process: ChildProcess;
  /** Zero before it listens. */
  port: number;
  /** Holds the callers that wait for its stats, in order. They get undefined if it ends. */
  asking: ((stats: TargetStats | undefined) => void)[];
}

/** Holds the further processes of a target. They form a star, in which each text travels once to each process. */
export class Siblings {
  /** In the order of their ports. Each is listed from its fork on, so that it misses no publish. */
  #siblings: Sibling[] = [];
  #isClosing = false;

  constructor(private readonly plan: SiblingPlan) {}

  /** Starts the siblings, at most as many at once as there are cores. More would only compete for them. */
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
    // stdout is reserved for the first process's one line.
    const child = fork(program, [JSON.stringify(start)], { stdio: ['ignore', 2, 2, 'ipc'] });
    const sibling: Sibling = { process: child, port: 0, asking: [] };
    this.#siblings[index] = sibling;
    const isRevived = (): boolean => this.plan.reviveAfterMs !== undefined && sibling.port > 0;
    child.on('error', (error) => {
      // A message to a sibling that just ended finds no channel. Its exit event follows.
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

  /** Starts a sibling again. No client is subscribed to a sibling that is down, so it misses no publish. */
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
    // A closed channel belongs to a sibling whose exit event follows.
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

export interface SiblingPart {
  port: number;
  stats: TargetStats;
}

/**
 * Merges the stats of all processes. It sums them, takes the worst event loop, and the rest from the first process.
 * Memory and CPU of programs that serve no clients but belong to the target are in the sums.
 */
export function sumOf(
  first: SiblingPart,
  others: readonly SiblingPart[],
  besides: readonly BesideStats[] = [],
): TargetStats {
  const parts = [first, ...others];
  const all = parts.map(({ stats }) => stats);
  const sum = (key: 'rssBytes' | 'cpuUserUs' | 'cpuSystemUs') =>
    [...all, ...besides].reduce((total, each) => total + each[key], 0);
  return {
    ...first.stats,
    rssBytes: sum('rssBytes'),
    cpuUserUs: sum('cpuUserUs'),
    cpuSystemUs: sum('cpuSystemUs'),
    connections: all.reduce((total, { connections }) => total + connections, 0),
    eventLoopDelayP99Ms: Math.max(...all.map(({ eventLoopDelayP99Ms = 0 }) => eventLoopDelayP99Ms)),
    eventLoopUtilization: Math.max(...all.map(({ eventLoopUtilization = 0 }) => eventLoopUtilization)),
    processes: parts.map(({ port, stats: { pid, rssBytes, cpuUserUs, cpuSystemUs, connections } }) => {
      return { pid, port, rssBytes, cpuUserUs, cpuSystemUs, connections };
    }),
    ...(besides.length > 0 && { besides: [...besides] }),
  };
}
