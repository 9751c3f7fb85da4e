import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { outsideText } from '../../units/text.js';
import type { StartCommand } from '../target.js';

const killAfterMs = 3_000;
const goneAgainMs = 10;
/** Longest wait for the last log lines. A process that a launcher left behind can hold the pipes open. */
const lastWordsWithinMs = 200;
const tailLines = 20;
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LD_LIBRARY_PATH'];

/** Returns the variables that find and load a target. NODE_OPTIONS would be a setting that no result shows. */
export function targetEnvironment(...given: Record<string, string>[]): NodeJS.ProcessEnv {
  const ours = inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return Object.assign(Object.fromEntries(ours), ...given);
}

/** Describes how a process ended. Both are null if it never started. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A target's process and the end of its log. */
export class Child {
  /** Undefined if the process could not be started. */
  readonly pid: number | undefined;
  /** Resolves, and never rejects, when the process is gone or could not be started. */
  readonly exited: Promise<Exit>;
  /** The first line on stdout. Resolves to undefined when stdout ends without one. */
  readonly firstLine: Promise<string | undefined>;
  readonly #process: ChildProcess;
  readonly #isForeign: boolean;
  readonly #tail: string[] = [];
  readonly #silent: Promise<unknown>;
  /** Ends a foreign program when this process is gone. */
  #keeper: ChildProcess | undefined;
  isGone = false;

  /** Starts the process. A foreign program logs to stdout too, and ends with all its children. */
  constructor({ command, args, env, directory }: StartCommand, given: Record<string, string>, isForeign: boolean) {
    // A foreign program has its keeper.
    const ending: Record<string, string> = isForeign ? {} : { RINGSIDE_EXIT_WITH_STDIN: '1' };
    const child = spawn(command, args, {
      // A configuration file that happens to be in our folder must not be found.
      cwd: directory ?? tmpdir(),
      env: targetEnvironment(env, given, ending),
      stdio: 'pipe',
      // Its own group: Ctrl-C in the terminal must end only the driver, which still wants the partial results.
      detached: true,
    });
    this.#process = child;
    this.#isForeign = isForeign;
    this.pid = child.pid;
    if (isForeign && child.pid !== undefined) this.#keeper = keep(child.pid);
    this.exited = new Promise((resolve) => {
      const gone = (code: number | null, signal: NodeJS.Signals | null) => {
        this.isGone = true;
        this.#keeper?.kill('SIGKILL');
        resolve({ code, signal });
      };
      child.once('exit', gone);
      child.once('error', (error) => {
        this.#keep(error.message);
        if (child.pid === undefined) gone(null, null);
      });
    });
    this.firstLine = this.#read(child.stdout, isForeign);
    const stderrRead = this.#read(child.stderr, true);
    const closed = new Promise((resolve) => child.once('close', resolve));
    this.#silent = Promise.all([this.firstLine, stderrRead, closed]);
  }

  tail(): string[] {
    return [...this.#tail];
  }

  async lastWords(): Promise<void> {
    await Promise.race([this.#silent, delay(lastWordsWithinMs)]);
  }

  /** Sends SIGTERM, then after 3 s SIGKILL to the process and all its children. Resolves when it is gone. */
  async stop(): Promise<Exit> {
    if (!this.isGone && this.#isForeign) this.signal('SIGTERM');
    else if (!this.isGone) this.#process.kill('SIGTERM');
    // While it lives, no other process group has its number.
    const kill = setTimeout(() => this.signal('SIGKILL'), killAfterMs);
    const exit = await this.exited;
    // A shell can be gone before the server that it started.
    while (this.#isForeign && this.signal(0)) await delay(goneAgainMs);
    clearTimeout(kill);
    return exit;
  }

  /** Sends a signal to the process and all its children. Returns false if none of them exists. */
  signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return this.pid !== undefined && process.kill(-this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
      throw error;
    }
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

/** Starts a shell that ends the program's group once this process is gone. Foreign programs don't end with stdin. */
function keep(pid: number): ChildProcess {
  const script = 'cat > /dev/null; kill -TERM "-$1" 2> /dev/null; sleep 3; kill -KILL "-$1" 2> /dev/null';
  return spawn('sh', ['-c', script, 'keeper', String(pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
}
