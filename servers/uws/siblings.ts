import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TargetStats } from '../../src/targets/target.js';
import type { Part } from './sum.js';
import type { Publish, ToFirst, ToSibling } from './talk.js';

const program = fileURLToPath(new URL('sibling.js', import.meta.url));

/** Siblings get this long to end by themselves: less than the first process gets (`foreground.ts`), so that it outlives them. */
const killAfterMs = 500;

/** What becomes of what siblings say and of their end. */
export interface SiblingEvents {
  /** A sibling published; the other siblings have it already. */
  published(stream: string, text: string): void;
  /** A sibling ended by itself, or can't be reached any more: `why` names it. */
  lost(why: string): void;
}

/** Where siblings listen, and what becomes of one that ends. */
export interface SiblingPlan {
  /** One for each; free ones where they are left out. */
  ports: readonly number[];
  /** How long after its end another one takes its port; without it, one that ends is lost. */
  reviveAfterMs: number | undefined;
}

interface Sibling {
  process: ChildProcess;
  /** Zero before it listens. */
  port: number;
  /** Who waits for its stats, first come first served; they get nothing when it ends. */
  asking: ((stats: TargetStats | undefined) => void)[];
}

/** The further processes of the target, as the first one has them: a star of channels in which each text travels once to each process. */
export class Siblings {
  readonly #events: SiblingEvents;
  readonly #plan: SiblingPlan;
  /** In the order of their ports, from their fork on: one that listens takes subscribers before it has said so, and is told what is published to them. */
  #siblings: Sibling[] = [];
  #isClosing = false;

  constructor(events: SiblingEvents, plan: SiblingPlan) {
    this.#events = events;
    this.#plan = plan;
  }

  /** Starts `count` siblings; resolves to their ports once all of them listen. */
  async start(count: number, host: string): Promise<number[]> {
    const listening = Array.from({ length: count }, (_, index) =>
      this.#startOne(host, this.#plan.ports[index] ?? 0, index),
    );
    return (await Promise.all(listening)).map(({ port }) => port);
  }

  /** Passes a text on to every sibling. */
  relay(stream: string, text: string): void {
    for (const sibling of this.#siblings) this.#say(sibling, { kind: 'publish', stream, text });
  }

  /** Asks every sibling that serves for its stats. */
  async stats(): Promise<Part[]> {
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

  /** Ends every sibling, with SIGKILL where it does not end by itself; resolves when all are gone. */
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
    const args = [host, String(port), ...(this.#plan.reviveAfterMs === undefined ? [] : ['revived'])];
    // stdout belongs to the first process's one line.
    const child = fork(program, args, { stdio: ['ignore', 2, 2, 'ipc'] });
    const sibling: Sibling = { process: child, port: 0, asking: [] };
    this.#siblings[index] = sibling;
    const isRevived = (): boolean => this.#plan.reviveAfterMs !== undefined && sibling.port > 0;
    child.on('error', (error) => {
      // What is said to one that was just ended finds no channel; its exit comes next.
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

  /** Nobody subscribed to one that is away: what is published meanwhile is for the others. */
  async #revive(ended: Sibling, host: string): Promise<void> {
    await delay(this.#plan.reviveAfterMs);
    if (this.#isClosing) return;
    await this.#startOne(host, ended.port, this.#siblings.indexOf(ended));
  }

  #published(from: Sibling, message: Publish): void {
    for (const sibling of this.#siblings) if (sibling !== from) this.#say(sibling, message);
    this.#events.published(message.stream, message.text);
  }

  #say({ process: child }: Sibling, message: ToSibling): void {
    // A channel that is closed already belongs to a sibling whose exit comes next.
    if (child.connected) child.send(message);
  }

  #lose({ process: child, port }: Sibling, how: string): void {
    if (!this.#isClosing) this.#events.lost(`process ${child.pid} on port ${port} is lost (${how})`);
  }
}

function isServing(sibling: Sibling): boolean {
  return sibling.port > 0 && isAlive(sibling);
}

function isAlive({ process: child }: Sibling): boolean {
  return child.exitCode === null && child.signalCode === null;
}
