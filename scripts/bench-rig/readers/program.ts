import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const endWithinMs = 30_000;
const keptLines = 20;

/** Runs a program of the bench. It ends with the signal or by `stop`. */
export class Program {
  readonly process: ChildProcess;
  readonly #name: string;
  readonly #ended: Promise<unknown>;
  readonly #signal: AbortSignal;
  #stdout = '';
  #errors: string[] = [];

  constructor(name: string, [command, ...args]: readonly [string, ...string[]], signal: AbortSignal, env = {}) {
    this.#name = name;
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    this.#ended = once(this.process, 'close').catch((error: Error) => this.#errors.push(error.message));
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = [...this.#errors, ...text.split('\n').filter((line) => line !== '')].slice(-keptLines);
    });
    // An ended program is reported by its exit.
    this.process.stdin?.on('error', () => undefined);
    this.#signal = signal;
    signal.addEventListener('abort', this.#kill);
    if (signal.aborted) this.#kill();
  }

  get pid(): number {
    if (this.process.pid === undefined || this.isOver)
      throw new Error(`${this.#name} ended too early: ${this.#errors.join('; ')}`);
    return this.process.pid;
  }

  get isOver(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Returns all output on stdout so far. */
  get stdout(): string {
    return this.#stdout;
  }

  /** Returns the next line of its output. Throws if it ends first. */
  async line(): Promise<string> {
    for (let end = this.#stdout.indexOf('\n'); ; end = this.#stdout.indexOf('\n')) {
      if (end >= 0) {
        const line = this.#stdout.slice(0, end);
        this.#stdout = this.#stdout.slice(end + 1);
        return line;
      }
      const { pid } = this;
      await Promise.race([once(this.process.stdout!, 'data'), this.#ended]);
      if (this.isOver && !this.#stdout.includes('\n'))
        throw new Error(`${this.#name} (${pid}) ended: ${this.#errors.join('; ')}`);
    }
  }

  /** Returns the first match on stderr. Throws if it ends first. */
  async saw(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      for (const line of this.#errors) {
        const match = pattern.exec(line);
        if (match) return match;
      }
      const { pid } = this;
      await Promise.race([once(this.process.stderr!, 'data'), this.#ended]);
      if (this.isOver) throw new Error(`${this.#name} (${pid}) ended before ${pattern}: ${this.#errors.join('; ')}`);
    }
  }

  /** Ends its stdin and sends the signal, if one is given. After 30 s the program is killed. */
  async stop(by?: 'SIGINT' | 'SIGTERM'): Promise<void> {
    this.process.stdin?.end();
    if (by !== undefined) this.process.kill(by);
    const timer = setTimeout(this.#kill, endWithinMs);
    await this.#ended;
    clearTimeout(timer);
    this.#signal.removeEventListener('abort', this.#kill);
  }

  readonly #kill = (): void => {
    this.process.kill('SIGKILL');
  };
}
