import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { z } from 'zod';
import type { Child } from './child.js';
import { TargetStartError } from './start-error.js';
import { fetchStats } from './stats.js';
import type { TargetStats } from './target.js';

const servesWithinMs = 15_000;
const askAgainAfterMs = 20;
const answerWithinMs = 2_000;
const announcement = z.object({ listening: z.object({ port: z.int().positive() }) });

/** Watches one start. Every wait ends early when the process is gone, and in all they take at most 15 s; each failure is a `TargetStartError`. */
export class Readiness {
  readonly #name: string;
  readonly #child: Child;
  readonly #deadlineMs = performance.now() + servesWithinMs;

  constructor(name: string, child: Child) {
    this.#name = name;
    this.#child = child;
  }

  /** The port in the line that a target of `servers/` prints when it listens. */
  async announcedPort(): Promise<number> {
    const line = await Promise.race([this.#child.firstLine, this.#timeUp()]);
    if (line === undefined) {
      // The end of stdout is seen before the end of the process that wrote it.
      await Promise.race([this.#child.exited, this.#timeUp()]);
      throw await this.#failure('it printed no line that says where it listens');
    }
    const read = announcement.safeParse(jsonIn(line));
    if (!read.success)
      throw await this.#failure(`its first line on stdout does not say where it listens: ${line.slice(0, 200)}`);
    return read.data.listening.port;
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

  /** The stats of the process that was started; whoever else answers in its place is an error. */
  async ownStats(url: string): Promise<TargetStats> {
    const stats = await fetchStats(url).catch(async (error: Error) => {
      throw await this.#failure(`${url} gave no stats: ${error.message}`);
    });
    if (stats.pid === this.#child.pid) return stats;
    throw new TargetStartError(
      `${url} is answered by process ${stats.pid}, not by the ${this.#name} that was started (process ${this.#child.pid})`,
      `Stop process ${stats.pid}, or choose another port.`,
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
    const { statusCode, body } = await request(url, { reset: true, signal: AbortSignal.timeout(answerWithinMs) });
    await body.dump();
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
