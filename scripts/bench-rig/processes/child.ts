import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseStat, parseStatus } from '../../../src/targets/observe/proc/files.js';
import { packageFile } from '../../../src/units/package-files.js';

const answerWithinMs = 180_000;
const endWithinMs = 5000;

/** Maps the name of each command of a child process to its function. */
type Commands = Record<string, (order: never) => unknown>;

interface Question {
  name: string;
  order: unknown;
}

/** Answers questions until the parent disconnects or ends. A command that throws ends this process. */
export function serve(commands: Commands): void {
  const byName = commands as Record<string, (order: unknown) => unknown>;
  const answer = async ({ name, order }: Question): Promise<void> => {
    process.send?.({ answer: await byName[name]?.(order) });
  };
  process.on('message', (question: Question) => void answer(question));
  process.on('disconnect', () => process.exit());
}

/**
 * Runs a process that holds one measured thing. Its module calls `serve`. It ends with the signal and with this
 * process.
 */
export class MeasuredProcess<C extends Commands> {
  readonly #process: ChildProcess;
  readonly #ended: Promise<string>;
  readonly #signal: AbortSignal;

  /** `module` is a compiled file from `dist/scripts/`. `nodeFlags` are flags of Node. */
  constructor(module: string, signal: AbortSignal, nodeFlags: readonly string[] = []) {
    this.#process = fork(packageFile('dist/scripts', module), {
      execArgv: [...nodeFlags],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#ended = new Promise((resolve) => {
      this.#process.once('exit', (code, by) => resolve(by ?? `exit code ${code}`));
    });
    this.#signal = signal;
    signal.addEventListener('abort', this.#kill);
    if (signal.aborted) this.#kill();
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** Asks one question at a time. Throws if the child ends first. The child is killed after three minutes. */
  async ask<K extends keyof C & string>(name: K, ...order: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>> {
    const question: Question = { name, order: order[0] };
    const timer = setTimeout(this.#kill, answerWithinMs);
    const answered = new Promise<{ answer: unknown }>((resolve) => {
      this.#process.once('message', (message) => resolve(message as { answer: unknown }));
    });
    this.#process.send(question);
    const outcome = await Promise.race([answered, this.#ended]);
    clearTimeout(timer);
    if (typeof outcome === 'string')
      throw new Error(`the process asked to ${name} ended before it answered: ${outcome}`);
    return outcome.answer as Awaited<ReturnType<C[K]>>;
  }

  async stop(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    const timer = setTimeout(this.#kill, endWithinMs);
    await this.#ended;
    clearTimeout(timer);
    this.#signal.removeEventListener('abort', this.#kill);
  }

  readonly #kill = (): void => {
    this.#process.kill('SIGKILL');
  };
}

/** Returns the CPU seconds, user and system, of a running process without its children. Linux only. */
export function cpuSecondsOf(pid: number): number {
  return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).cpuMs / 1000;
}

/** Returns the resident memory of a running process in bytes. Linux only. */
export function rssBytesOf(pid: number): number {
  const { rssBytes } = parseStatus(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (rssBytes === undefined) throw new Error(`process ${pid} has no memory any more`);
  return rssBytes;
}

/**
 * Returns the peak resident memory of this process in bytes. `getrusage` would start at the memory of the parent. Linux
 * only.
 */
export function peakRssBytes(): number {
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  if (kibibytes === undefined) throw new Error('no VmHWM in /proc/self/status');
  return Number(kibibytes) * 1024;
}
