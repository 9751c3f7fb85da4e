import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { outsideText } from '../../units/outside-text.js';
import type { TargetStats } from '../target.js';
import { ask } from './answer.js';
import type { Child } from './child.js';
import { isChildOf } from './parent.js';
import { TargetStartError } from './start-error.js';
import { fetchStats } from './stats.js';

const servesWithinMs = 15_000;
const askAgainAfterMs = 20;
const answerWithinMs = 2_000;
const portSchema = z.int().positive();
const announcement = z.object({
  listening: z.object({ port: portSchema, ports: z.array(portSchema).min(2).optional() }),
});

/** Watches one start. Every wait ends early when the process is gone, and in all they take at most 15 s; each failure is a `TargetStartError`. */
export class Readiness {
  readonly #name: string;
  readonly #child: Child;
  readonly #deadlineMs = performance.now() + servesWithinMs;

  constructor(name: string, child: Child) {
    this.#name = name;
    this.#child = child;
  }

  /** The port of each of so many processes, in the line that a target of `servers/` prints when it listens. */
  async announcedPorts(processes: number): Promise<[number, ...number[]]> {
    const line = await Promise.race([this.#child.firstLine, this.#timeUp()]);
    if (line === undefined) {
      // The end of stdout is seen before the end of the process that wrote it.
      await Promise.race([this.#child.exited, this.#timeUp()]);
      throw await this.#failure('it printed no line that says where it listens');
    }
    const read = announcement.safeParse(jsonIn(line));
    if (!read.success)
      throw await this.#failure(`its first line on stdout does not say where it listens: ${outsideText(line)}`);
    const { port, ports = [port] } = read.data.listening;
    if (ports.length === processes && ports[0] === port) return [port, ...ports.slice(1)];
    throw await this.#failure(`it was to run as ${processes} processes and announced the ports ${ports.join(', ')}`);
  }

  /** Waits for the first 200 of the health endpoint. */
  async healthy(url: string): Promise<void> {
    let seen = 'no answer';
    while (this.#leftMs() > 0 && !this.#child.isGone) {
      seen = await answerOf(url);
      if (seen === '200') return;
      await delay(askAgainAfterMs);
    }
    throw await this.#failure(`${url} gave ${seen}, not 200`);
  }

  /** The stats of the process that was started, and of its children on the further `ports`; whoever else answers in their place is an error. */
  async ownStats(url: string, ports: readonly number[]): Promise<TargetStats> {
    const stats = await fetchStats(url).catch(async (error: Error) => {
      throw await this.#failure(`${url} gave no stats: ${outsideText(error.message)}`);
    });
    if (stats.pid !== this.#child.pid)
      throw new TargetStartError(
        `${url} is answered by process ${stats.pid}, not by the ${this.#name} that was started (process ${this.#child.pid})`,
        `Stop process ${stats.pid}, or choose another port.`,
      );
    const { processes = [{ pid: stats.pid, port: ports[0] }] } = stats;
    const named = processes.map(({ pid, port }) => `${pid} on port ${port}`).join(', ');
    const isFamily = processes.every(({ pid }, index) => (index === 0 ? pid === stats.pid : isChildOf(pid, stats.pid)));
    if (isFamily && processes.map(({ port }) => port).join() === ports.join()) return stats;
    throw new TargetStartError(
      `${url} names the processes ${named}, which are not process ${stats.pid} and its children on the ports ${ports.join(', ')}`,
      this.#hint(),
    );
  }

  async #failure(complaint: string): Promise<TargetStartError> {
    const time = this.#leftMs() > 0 ? '' : ` within ${servesWithinMs / 1000} s`;
    if (!this.#child.isGone)
      return new TargetStartError(`${this.#name} did not start to serve${time}: ${complaint}`, this.#hint());
    await this.#child.lastWords();
    const { code, signal } = await this.#child.exited;
    const end = signal ?? (code === null ? 'no process' : `exit code ${code}`);
    return new TargetStartError(
      `${this.#name} ended before it served (${end}): ${this.#child.tail().at(-1) ?? 'it said nothing'}`,
      this.#hint(),
    );
  }

  #hint(): string {
    const tail = this.#child.tail();
    return tail.length === 0 ? 'It wrote no log.' : `The end of its log:\n${tail.join('\n')}`;
  }

  #timeUp(): Promise<undefined> {
    return delay(this.#leftMs(), undefined, { ref: false });
  }

  #leftMs(): number {
    return Math.max(0, this.#deadlineMs - performance.now());
  }
}

/** The status of a GET, or the code of the error in its place. */
async function answerOf(url: string): Promise<string> {
  try {
    const { statusCode } = await ask(url, { withinMs: answerWithinMs });
    return String(statusCode);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return String(code ?? message);
  }
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
