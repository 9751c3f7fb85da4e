import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { type RunResult, runResult } from '../../../src/results/result.js';
import { parseStat, parseStatus } from '../../../src/targets/observe/proc-files.js';
import { ringsideProgram } from '../../../src/units/package-files.js';

/** A run gets this long after a request to end, so that it can write its partial result. */
const endWithinMs = 20_000;
const lastLines = 20;
const longestLine = 300;

/** Describes the exit code and output of a program. The code is null if a signal ended it or it never started. */
export type ProgramEnd = { exitCode: number | null; stdout: string; stderr: string; elapsedMs: number };

/** Holds what a program gets besides its arguments. The signal or the end of `withinMs` ends it by `endsBy`. */
interface ProgramOptions {
  signal: AbortSignal;
  withinMs?: number;
  env?: Readonly<Record<string, string>>;
  endsBy?: 'SIGTERM' | 'SIGINT';
}

const streams = ['stdout', 'stderr'] as const;

/** Runs a program of a bench. Its stdin stays open until `stop`, or until this process is gone. */
export class Program {
  readonly ended: Promise<ProgramEnd>;
  readonly #name: string;
  readonly #process;
  readonly #written = { stdout: '', stderr: '' };
  #read = 0;
  #isOver = false;

  constructor(name: string, [command, ...args]: readonly [string, ...string[]], options: ProgramOptions) {
    const { signal, withinMs = 0, env = {}, endsBy = 'SIGTERM' } = options;
    const ending = { cancelSignal: signal, timeout: withinMs, killSignal: endsBy, forceKillAfterDelay: endWithinMs };
    this.#name = name;
    this.#process = execa(command, args, { ...ending, env, stdin: 'pipe', reject: false });
    for (const stream of streams)
      this.#process[stream].on('data', (chunk: Buffer) => {
        this.#written[stream] += String(chunk);
      });
    // If the program does not read stdin, its exit shows that.
    this.#process.stdin.on('error', () => undefined);
    this.ended = this.#process.then(({ exitCode = null, stdout, stderr, durationMs, shortMessage }) => {
      this.#isOver = true;
      return { exitCode, stdout, stderr: stderr || (shortMessage ?? ''), elapsedMs: durationMs };
    });
  }

  /** Throws if the program is over. */
  get pid(): number {
    if (this.#process.pid === undefined || this.#isOver) throw this.#early('was asked');
    return this.#process.pid;
  }

  /** Writes a line to its stdin and returns the next line of its stdout. Throws if it ends first. */
  async line(asked?: string): Promise<string> {
    if (asked !== undefined) this.#process.stdin.write(`${asked}\n`);
    const line = await this.#find('stdout', (text) => {
      const end = text.indexOf('\n', this.#read);
      return end < 0 ? null : text.slice(this.#read, end);
    });
    this.#read += line.length + 1;
    return line;
  }

  /** Returns the first match in its output. Throws if it ends first. */
  saw(pattern: RegExp, stream: (typeof streams)[number] = 'stderr'): Promise<RegExpExecArray> {
    return this.#find(stream, (text) => pattern.exec(text));
  }

  async stop(): Promise<ProgramEnd> {
    this.#process.stdin.end();
    this.#process.kill();
    return this.ended;
  }

  async #find<T>(stream: (typeof streams)[number], found: (text: string) => T | null): Promise<T> {
    for (;;) {
      const match = found(this.#written[stream]);
      if (match !== null) return match;
      if (this.#isOver) throw this.#early('wrote what was expected');
      const more = new Promise((resolve) => this.#process[stream].once('data', resolve));
      await Promise.race([more, this.ended]);
    }
  }

  #early(before: string): Error {
    // The source of a crash is one long line.
    const lines = this.#written.stderr.split('\n').filter((line) => line.trim() !== '' && line.length < longestLine);
    return new Error(`${this.#name} ended before it ${before}: ${lines.slice(-lastLines).join('; ')}`);
  }
}

/** Runs a `ringside` command. A bench-runner also ends with this process. */
export function ringside(
  args: readonly string[],
  signal: AbortSignal,
  withinMs: number,
  nodeFlags: readonly string[] = [],
): Program {
  const env = { RINGSIDE_EXIT_WITH_STDIN: '1' };
  return new Program('ringside', [process.execPath, ...nodeFlags, ringsideProgram, ...args], { signal, withinMs, env });
}

/** Reads the result on stdout of a run with `--json`. Throws if there is none. */
export function resultIn({ stdout, stderr, exitCode }: ProgramEnd): RunResult {
  if (stdout === '') throw new Error(`the run left no result (exit code ${exitCode}): ${stderr}`);
  return runResult.parse(JSON.parse(stdout));
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
