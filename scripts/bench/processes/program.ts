import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type RunResult, runResult } from '../../../src/results/result.js';
import { type RunningTarget, type StartOptions, startTarget } from '../../../src/targets/launch/process.js';
import { targetByName } from '../../../src/targets/list.js';
import { parseStat, parseStatus } from '../../../src/targets/observe/proc-files.js';
import { ringsideProgram } from '../../../src/units/package-files.js';

/** A run gets this long after a request to end, so that it can write its partial result. */
const endWithinMs = 20_000;
const lastLines = 20;
const longestLine = 300;

/** Describes the exit code and output of a program. The code is null if a signal ended it or it never started. */
type ProgramEnd = { exitCode: number | null; stdout: string; stderr: string; elapsedMs: number };

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

/** Holds the flags of Node for a process that other processes on this machine can inspect. */
export const inspectorFlags = ['--inspect=127.0.0.1:0'] as const;
/** Matches the line on stderr with which such a process names its inspector. */
export const inspectorLine = /^Debugger listening on (ws:\S+)$/m;

/** A bench-runner ends a job after an hour. */
const runnerWithinMs = 3_900_000;

/** Runs `work` against a target; `uws` leaves the largest part of the machine to the clients. */
export async function withTarget<T>(
  work: (target: RunningTarget) => Promise<T>,
  name = 'uws',
  options: Pick<StartOptions, 'options' | 'processes'> = {},
): Promise<T> {
  const target = await startTarget(targetByName(name)!, { host: '127.0.0.1', ...options });
  try {
    return await work(target);
  } finally {
    await target.stop();
  }
}

/** Runs `work` with an empty directory, which is removed afterwards. */
export async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'ringside-bench-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Describes a bench-runner on a free loopback port. `inspector` is the address of its inspector, if it has one. */
interface BenchRunner {
  url: string;
  pid: number;
  inspector: string | undefined;
}

/** Runs `work` with a bench-runner. With `isInspected`, this process can make it collect its garbage. */
export async function withBenchRunner<T>(
  signal: AbortSignal,
  work: (runner: BenchRunner) => Promise<T>,
  { isInspected = false, flags = [] as readonly string[] } = {},
): Promise<T> {
  const args = ['bench-runner', '--host', '127.0.0.1', '--port', '0', ...flags];
  const runner = ringside(args, signal, runnerWithinMs, isInspected ? inspectorFlags : []);
  try {
    const [, port] = await runner.saw(/"listening":.*"port":(\d+)/, 'stdout');
    const inspector = isInspected ? (await runner.saw(inspectorLine))[1] : undefined;
    return await work({ url: `http://127.0.0.1:${port}`, pid: runner.pid, inspector });
  } finally {
    await runner.stop();
  }
}
