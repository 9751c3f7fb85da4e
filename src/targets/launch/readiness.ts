import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { jsonIn, outsideText } from '../../units/text.js';
import { isGone } from '../observe/proc-files.js';
import type { Target, TargetStats } from '../target.js';
import type { Child } from './child.js';
import { ask, fetchStats } from './stats.js';

const acceptWithinMs = 1_000;

/** Returns host and port as a URL has them. An IPv6 address is in brackets. */
export function authority({ host, port }: { host: string; port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Lies below the ports of outgoing connections, so that no client takes the port before its server does. */
const servedPorts = [20_000, 32_767] as const;
const portTries = 20;

/** Returns a free port of `host`. Throws `TargetStartError` if this machine does not have that address. */
export async function freePort(host: string): Promise<number> {
  for (let tries = 1; ; tries++) {
    const isLast = tries === portTries;
    const server = createServer().listen({ host, port: isLast ? 0 : randomInt(...servedPorts) });
    try {
      await once(server, 'listening');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && !isLast) continue;
      throw new TargetStartError(
        'noSuchHost',
        `can't listen on ${host}: ${message}`,
        'Give an address of this machine.',
      );
    }
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Returns true if the port accepts connections. An unreachable address counts as free. */
export async function isPortTaken(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: acceptWithinMs });
  const isAccepted = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    for (const failure of ['timeout', 'error']) socket.once(failure, () => resolve(false));
  });
  socket.destroy();
  return isAccepted;
}

const askAgainAfterMs = 20;
const answerWithinMs = 2_000;
const portSchema = z.int().positive();
const announcement = z.object({
  listening: z.object({ port: portSchema, ports: z.array(portSchema).min(2).optional() }),
});

/** Watches one start, for at most `withinMs`. Waits end early with the process. A failure is a `TargetStartError`. */
export class Readiness {
  readonly #deadlineMs: number;

  constructor(
    private readonly name: string,
    private readonly child: Child,
    private readonly withinMs: number,
  ) {
    this.#deadlineMs = performance.now() + withinMs;
  }

  async announcedPorts(expected: number): Promise<[number, ...number[]]> {
    const line = await Promise.race([this.child.firstLine, this.#timeUp()]);
    if (line === undefined) {
      // The end of stdout is seen before the end of the process that wrote it.
      await Promise.race([this.child.exited, this.#timeUp()]);
      throw await this.#failure('it did not print where it listens');
    }
    const read = announcement.safeParse(jsonIn(line));
    if (!read.success) throw await this.#failure(`it printed ${outsideText(line)} instead of where it listens`);
    const { port, ports = [port] } = read.data.listening;
    if (ports.length === expected && ports[0] === port) return [port, ...ports.slice(1)];
    throw await this.#failure(`expected ${expected} ports, it announced ${ports.join(', ')}`);
  }

  async healthy(url: string): Promise<void> {
    const { protocol, hostname, port } = new URL(url);
    let seen = 'no answer';
    while (this.#leftMs() > 0 && !this.child.isGone) {
      seen = protocol === 'tcp:' ? await connectionTo(hostname, Number(port)) : await answerOf(url);
      if (seen === '200' || seen === 'a connection') return;
      await delay(askAgainAfterMs);
    }
    throw await this.#failure(`${url} ${protocol === 'tcp:' ? `gave ${seen}` : `answered ${seen}, not 200`}`);
  }

  /** Returns the stats of the started process and its children on these ports. Others must not answer. */
  async ownStats(url: string, ports: readonly number[], portsAre: Target['ports']): Promise<TargetStats> {
    const stats = await fetchStats(url).catch(async (error: Error) => {
      throw await this.#failure(`${url} gave no stats: ${outsideText(error.message)}`);
    });
    if (stats.pid !== this.child.pid)
      throw new TargetStartError(
        'otherAnswers',
        `process ${stats.pid} answers at ${url}, not the started ${this.name} (process ${this.child.pid})`,
        `Stop process ${stats.pid}, or choose another port.`,
      );
    const { processes = [{ pid: stats.pid, port: ports[0] }] } = stats;
    const named = processes.map(({ pid, port }) => `${pid} on port ${port}`).join(', ');
    const isFamily = processes.every(({ pid }, index) => (index === 0 ? pid === stats.pid : isChildOf(pid, stats.pid)));
    const each = processes.map(({ port }) => port);
    const taken = portsAre === 'shared' ? [...new Set(each)] : each;
    if (isFamily && taken.join() === ports.join()) return stats;
    throw new TargetStartError(
      'otherAnswers',
      `expected process ${stats.pid} and its children on the ports ${ports.join(', ')}, ${url} names ${named}`,
      this.#hint(),
    );
  }

  async #failure(complaint: string): Promise<TargetStartError> {
    const time = this.#leftMs() > 0 ? '' : ` within ${this.withinMs / 1000} s`;
    if (!this.child.isGone)
      return new TargetStartError('notServing', `${this.name} did not serve${time}: ${complaint}`, this.#hint());
    await this.child.lastWords();
    const { code, signal } = await this.child.exited;
    const end = signal ?? (code === null ? 'no process' : `exit code ${code}`);
    return new TargetStartError(
      'ended',
      `${this.name} ended before it served (${end}): ${this.child.tail().at(-1) ?? 'no output'}`,
      this.#hint(),
    );
  }

  #hint(): string {
    const tail = this.child.tail();
    return tail.length === 0 ? 'Its log is empty.' : `The end of its log:\n${tail.join('\n')}`;
  }

  #timeUp(): Promise<undefined> {
    return delay(this.#leftMs(), undefined, { ref: false });
  }

  #leftMs(): number {
    return Math.max(0, this.#deadlineMs - performance.now());
  }
}

async function connectionTo(host: string, port: number): Promise<string> {
  return (await isPortTaken(host.replace(/^\[|\]$/g, ''), port)) ? 'a connection' : 'no connection';
}

async function answerOf(url: string): Promise<string> {
  return ask(url, { withinMs: answerWithinMs }).then(
    ({ statusCode }) => String(statusCode),
    ({ code, message }: NodeJS.ErrnoException) => code ?? message,
  );
}

/** Returns true if a process lives and `parent` started it. Always true on a system without `/proc`. */
function isChildOf(pid: number, parent: number): boolean {
  if (!existsSync('/proc/self/status')) return true;
  try {
    return /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] === String(parent);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Names the reason why a target does not serve. */
type StartFailure =
  | 'notAvailable'
  | 'noSuchHost'
  | 'portTaken'
  | 'wrongProcesses'
  | 'ended'
  | 'notServing'
  | 'otherAnswers';

/** A target can't be started, or another process answers on its port. */
export class TargetStartError extends Error {
  override readonly name = 'TargetStartError';

  constructor(
    readonly code: StartFailure,
    readonly why: string,
    readonly hint: string,
  ) {
    super(why);
  }
}
