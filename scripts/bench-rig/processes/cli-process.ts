import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../src/cli/main.js', import.meta.url));
/** From the request to end, which a run answers with its partial result, to the end by force. */
const endWithinMs = 20_000;

/** What a command left behind. */
export interface CliEnd {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  elapsedMs: number;
}

/** A `ringside` command as its user starts it. Told to end when the signal is aborted or its time is over. */
export class CliProcess {
  readonly pid: number;
  readonly ended: Promise<CliEnd>;
  readonly #process: ChildProcess;
  /** Its stderr. */
  readonly #lines: Interface;

  constructor(args: readonly string[], signal: AbortSignal, withinMs: number) {
    const startMs = performance.now();
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process = child;
    const timer = setTimeout(this.#end, withinMs);
    signal.addEventListener('abort', this.#end);
    if (signal.aborted) this.#end();
    this.#lines = createInterface(child.stderr);
    const stderr: string[] = [];
    this.#lines.on('line', (line) => stderr.push(line));
    this.pid = child.pid!;
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    this.ended = Promise.all([exited, text(child.stdout)]).then(([exitCode, stdout]) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', this.#end);
      return { exitCode, stdout, stderr: stderr.join('\n'), elapsedMs: performance.now() - startMs };
    });
  }

  /** Resolves at the first line on stderr that matches. Throws when the command ends without one. */
  async saw(pattern: RegExp): Promise<void> {
    const seen = new Promise<true>((resolve) => {
      this.#lines.on('line', (line) => pattern.test(line) && resolve(true));
    });
    const first = await Promise.race([seen, this.ended]);
    if (first !== true)
      throw new Error(`the command ended (exit code ${first.exitCode}) before ${pattern}: ${first.stderr}`);
  }

  /** Resolves when the command is gone; one that still runs is told to end. */
  async stop(): Promise<void> {
    this.#end();
    await this.ended;
  }

  readonly #end = (): void => {
    this.#process.kill('SIGTERM');
    setTimeout(() => this.#process.kill('SIGKILL'), endWithinMs).unref();
  };
}
