import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { type RunResult, runResult } from '../../../src/results/result.js';
import { ringsideProgram } from '../../../src/units/package-files.js';

/** A run gets this long after a request to end, so that it can write its partial result. */
const endWithinMs = 20_000;

const streams = ['stdout', 'stderr'] as const;

/** Describes the exit code and output of a command. */
export type CliEnd = { exitCode: number | null; stdout: string; stderr: string; elapsedMs: number };

/** Reads the result on stdout of a run with `--json`. Throws if there is none. */
export function resultIn({ stdout, stderr, exitCode }: CliEnd): RunResult {
  if (stdout === '') throw new Error(`the run left no result (exit code ${exitCode}): ${stderr}`);
  return runResult.parse(JSON.parse(stdout));
}

/** Runs a `ringside` command. It ends with the signal or its time limit. A bench-runner also ends with this process. */
export class CliProcess {
  readonly pid: number;
  readonly ended: Promise<CliEnd>;
  readonly #process: ChildProcess;
  readonly #lines: { stdout: Interface; stderr: Interface };

  constructor(args: readonly string[], signal: AbortSignal, withinMs: number, nodeFlags: readonly string[] = []) {
    const startMs = performance.now();
    const child = spawn(process.execPath, [...nodeFlags, ringsideProgram, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, RINGSIDE_EXIT_WITH_STDIN: '1' },
    });
    this.#process = child;
    const timer = setTimeout(this.#end, withinMs);
    signal.addEventListener('abort', this.#end);
    if (signal.aborted) this.#end();
    this.#lines = { stdout: createInterface(child.stdout), stderr: createInterface(child.stderr) };
    const written = { stdout: [] as string[], stderr: [] as string[] };
    for (const stream of streams) this.#lines[stream].on('line', (line) => written[stream].push(line));
    this.pid = child.pid!;
    this.ended = new Promise((resolve) => {
      child.once('close', (exitCode) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', this.#end);
        const [stdout, stderr] = [written.stdout.join('\n'), written.stderr.join('\n')];
        resolve({ exitCode, stdout, stderr, elapsedMs: performance.now() - startMs });
      });
    });
  }

  /** Resolves with the first match in a line written from now on. Throws if the command ends first. */
  async saw(pattern: RegExp, stream: (typeof streams)[number] = 'stderr'): Promise<RegExpExecArray> {
    const seen = new Promise<RegExpExecArray>((resolve) => {
      this.#lines[stream].on('line', (line) => {
        const match = pattern.exec(line);
        if (match) resolve(match);
      });
    });
    const first = await Promise.race([seen, this.ended]);
    if (!('exitCode' in first)) return first;
    throw new Error(`the command ended (exit code ${first.exitCode}) before ${pattern}: ${first.stderr}`);
  }

  async stop(): Promise<void> {
    this.#end();
    await this.ended;
  }

  readonly #end = (): void => {
    this.#process.kill('SIGTERM');
    setTimeout(() => this.#process.kill('SIGKILL'), endWithinMs).unref();
  };
}
