import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { outsideText } from '../../units/outside-text.js';
import type { StartCommand } from '../target.js';
import { targetEnvironment } from './environment.js';

const killAfterMs = 3_000;
/** A process that a launcher left behind can hold the pipes open: nobody waits longer than this for last words. */
const lastWordsWithinMs = 200;
const tailLines = 20;

/** How a process ended; both are null when it never started. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A target's process, its output kept as far as it matters. */
export class Child {
  /** Resolves, and never rejects, when the process is gone or could not be started. */
  readonly exited: Promise<Exit>;
  /** The first line on stdout; resolves to undefined when stdout ends without one. */
  readonly firstLine: Promise<string | undefined>;
  readonly #process: ChildProcess;
  readonly #tail: string[] = [];
  readonly #silent: Promise<unknown>;
  /** Ends a program that is not ours to teach when this process is gone. */
  #keeper: ChildProcess | undefined;
  #isGone = false;

  /** Starts the process. Its log is its stderr, and its stdout too where that is not promised to another use (`isStdoutLog`). */
  constructor({ command, args, env }: StartCommand, given: Record<string, string>, isStdoutLog: boolean) {
    const environment = targetEnvironment(env, given, { RINGSIDE_EXIT_WITH_STDIN: '1' });
    const child = spawn(command, args, {
      // Not our folder: a configuration file that lies there by chance would be found.
      cwd: tmpdir(),
      env: environment,
      stdio: 'pipe',
      // A group of its own: Ctrl-C in the terminal is for the driver, which still wants the partial results.
      detached: true,
    });
    this.#process = child;
    if (isStdoutLog && child.pid !== undefined) this.#keeper = keep(child.pid);
    this.exited = new Promise((resolve) => {
      const gone = (code: number | null, signal: NodeJS.Signals | null) => {
        this.#isGone = true;
        this.#keeper?.kill('SIGKILL');
        resolve({ code, signal });
      };
      child.once('exit', gone);
      child.once('error', (error) => {
        this.#keep(error.message);
        if (child.pid === undefined) gone(null, null);
      });
    });
    this.firstLine = this.#read(child.stdout, isStdoutLog);
    const stderrRead = this.#read(child.stderr, true);
    const closed = new Promise((resolve) => child.once('close', resolve));
    this.#silent = Promise.all([this.firstLine, stderrRead, closed]);
  }

  /** Undefined when the process could not be started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** The last lines of its log. */
  tail(): string[] {
    return [...this.#tail];
  }

  /** Waits, after its end, until what it wrote has been read. */
  async lastWords(): Promise<void> {
    await Promise.race([this.#silent, delay(lastWordsWithinMs)]);
  }

  /** SIGTERM, then SIGKILL for one that stays and whatever it started; resolves when it is gone. */
  async stop(): Promise<Exit> {
    if (!this.#isGone) this.#process.kill('SIGTERM');
    // It is alive, so the group of its number is its own: what it started could be frozen and deaf to its end.
    const kill = setTimeout(() => process.kill(-this.#process.pid!, 'SIGKILL'), killAfterMs);
    const exit = await this.exited;
    clearTimeout(kill);
    return exit;
  }

  #read(stream: Readable, isLog: boolean): Promise<string | undefined> {
    const lines = createInterface({ input: stream });
    if (isLog) lines.on('line', (line) => this.#keep(line));
    return new Promise((resolve) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(undefined));
    });
  }

  #keep(line: string): void {
    this.#tail.push(outsideText(line));
    if (this.#tail.length > tailLines) this.#tail.shift();
  }
}

/**
 * Servers of ours end when their stdin does; a foreign binary takes no notice of it. A shell waits in its stead on a pipe that closes with this
 * process, however it ends, and then ends the binary.
 */
function keep(pid: number): ChildProcess {
  const script = 'cat > /dev/null; kill -TERM "$1" 2> /dev/null; sleep 3; kill -KILL "$1" 2> /dev/null';
  return spawn('sh', ['-c', script, 'keeper', String(pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
}
