import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { BesideStats, TargetStats } from '../src/targets/target.js';
import { closeWithinMs, fail } from './foreground.js';

/** The first argument of a sibling. Its program is that of the first process. */
const siblingWord = 'sibling';

/** True if the first process of a target forked this one. */
export const isSibling = process.argv[2] === siblingWord;

/** Siblings get less time to end than the first process (`foreground.ts`), so that it outlives them. */
const killAfterMs = 500;

/** Describes the ports of siblings, their restarts and the callbacks for their messages. */
interface SiblingPlan {
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
    const { facts, reviveAfterMs } = this.plan;
    const start: SiblingStart = { host, port, isRevived: reviveAfterMs !== undefined, facts };
    // stdout is reserved for the first process's one line.
    const child = fork(process.argv[1]!, [siblingWord, JSON.stringify(start)], { stdio: ['ignore', 2, 2, 'ipc'] });
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

interface SiblingPart {
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

/** Names the options with a value that all servers with several processes share. */
export const siblingOptions = ['further-ports', 'revive'] as const;

/** Reads the ports of siblings, free ones by default, and the time after which an ended sibling restarts, if at all. */
export function siblingWays(
  server: string,
  values: Readonly<Record<string, string>>,
): { ports: number[]; reviveAfterMs: number | undefined } {
  const wholeNumber = (flag: (typeof siblingOptions)[number], text: string): number[] => {
    if (text === '') return [];
    return /^\d+$/.test(text) ? [Number(text)] : fail(server, `--${flag} must be whole numbers, not ${text}`, 2);
  };
  const ports = (values['further-ports'] ?? '').split(',').flatMap((each) => wholeNumber('further-ports', each));
  const [reviveAfterMs] = wholeNumber('revive', values.revive ?? '');
  return { ports, reviveAfterMs };
}

interface SiblingServer {
  /** Resolves to its port. */
  listen(host: string, port: number): Promise<number>;
  ownStats(): TargetStats;
  /** Handles a publish of another process. Only needed if the processes have no other way to share it. */
  publish?(stream: string, text: string): void;
  close(): unknown;
}

/**
 * Runs this process as a further one of the target, forked by the first process. It lives as long as its channel to the
 * first. A terminal's signals reach the whole group, but only the first process acts on them, unless this one is ended
 * by itself.
 */
export async function runSibling<Facts extends object>(
  build: (facts: Facts, say: (message: ToFirst) => void) => SiblingServer | Promise<SiblingServer>,
): Promise<void> {
  process.once('disconnect', end);
  const { host, port, isRevived, facts } = JSON.parse(process.argv[3] ?? '') as SiblingStart & { facts: Facts };
  const server = await build(facts, say);
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => {
    if (isRevived) void Promise.race([server.close(), delay(closeWithinMs)]).then(end);
  });
  process.on('message', (message: ToSibling) => {
    if (message.kind === 'publish') server.publish?.(message.stream, message.text);
    else say({ kind: 'stats', stats: server.ownStats() });
  });
  say({ kind: 'listening', port: await server.listen(host, port) });
  // The channel can close before this listener is added.
  if (!process.connected) end();
}

function say(message: ToFirst): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) end();
  });
}

function end(): void {
  process.exit(0);
}

interface SiblingStart {
  host: string;
  /** 0 for a free port. */
  port: number;
  /** True if another sibling replaces it after its end. */
  isRevived: boolean;
  facts: object;
}

/** Reaches the subscribers of the process that receives it. */
interface Publish {
  kind: 'publish';
  stream: string;
  text: string;
}

/** Describes a message from the first process to a sibling, over the IPC channel. */
type ToSibling = Publish | { kind: 'askStats' };

/** Describes a message from a sibling to the first process: one `listening`, then one `stats` for each `askStats`. */
type ToFirst = Publish | { kind: 'listening'; port: number } | { kind: 'stats'; stats: TargetStats };
