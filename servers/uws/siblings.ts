import { type ChildProcess, fork } from 'node:child_process';
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

interface Sibling {
  process: ChildProcess;
  port: number;
  /** Who waits for its stats, first come first served. */
  asking: ((stats: TargetStats) => void)[];
}

/** The further processes of the target, as the first one has them: a star of channels in which each text travels once to each process. */
export class Siblings {
  readonly #events: SiblingEvents;
  /** Those that listen, in the order of their ports; nobody is subscribed before all do. */
  #siblings: Sibling[] = [];
  #isClosing = false;

  constructor(events: SiblingEvents) {
    this.#events = events;
  }

  /** Starts `count` siblings; resolves to their ports once all of them listen. */
  async start(count: number, host: string): Promise<number[]> {
    this.#siblings = await Promise.all(Array.from({ length: count }, () => this.#startOne(host)));
    return this.#siblings.map(({ port }) => port);
  }

  /** Passes a text on to every sibling. */
  relay(stream: string, text: string): void {
    for (const sibling of this.#siblings) this.#say(sibling, { kind: 'publish', stream, text });
  }

  /** Asks every sibling for its stats. */
  stats(): Promise<Part[]> {
    return Promise.all(
      this.#siblings.map(async (sibling) => {
        const answered = new Promise<TargetStats>((resolve) => sibling.asking.push(resolve));
        this.#say(sibling, { kind: 'askStats' });
        return { port: sibling.port, stats: await answered };
      }),
    );
  }

  /** Ends every sibling, with SIGKILL where it does not end by itself; resolves when all are gone. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(
      this.#siblings.map(async ({ process: child }) => {
        const exited = new Promise((resolve) => child.once('exit', resolve));
        if (child.connected) child.disconnect();
        const kill = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
        await exited;
        clearTimeout(kill);
      }),
    );
  }

  #startOne(host: string): Promise<Sibling> {
    // stdout belongs to the first process's one line.
    const child = fork(program, [host], { stdio: ['ignore', 2, 2, 'ipc'] });
    const sibling: Sibling = { process: child, port: 0, asking: [] };
    child.on('error', (error) => this.#lose(sibling, error.message));
    child.once('exit', (code, signal) => this.#lose(sibling, signal ?? `exit code ${code}`));
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
