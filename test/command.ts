import { type ChildProcess, spawn } from 'node:child_process';
import { familyOf, type Relative } from './family.js';

/** How a command ended, and all that it wrote. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A started program: what it writes is kept, and all its descendants can be found. */
export class Command {
  readonly pid: number;
  /** Resolves when it has ended and its output was read to the end. */
  readonly ended: Promise<Ended>;
  /** Its TMPDIR and working directory. */
  readonly folder: string;
  readonly #process: ChildProcess;
  readonly #written = { stdout: '', stderr: '' };
  #hasEnded = false;

  /** `folder` is nobody else's. */
  constructor(program: string, args: readonly string[], folder: string, env: Record<string, string | undefined>) {
    const child = spawn(program, args, { cwd: folder, env: { ...cleanEnvironment(), ...env, TMPDIR: folder } });
    if (child.pid === undefined) throw new Error(`${program} could not be started`);
    this.pid = child.pid;
    this.#process = child;
    this.folder = folder;
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        this.#written[name] += text;
      });
    }
    this.ended = new Promise((resolve) =>
      child.once('close', (code, signal) => {
        this.#hasEnded = true;
        resolve({ code, signal, ...this.#written });
      }),
    );
  }

  /** Waits until what it wrote matches; throws with all of it when it ends without. */
  async said(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#written[stream]);
      if (found) return found;
      if (this.#hasEnded) throw new Error(`it ended and never said ${pattern}: ${JSON.stringify(this.#written)}`);
      await new Promise((resolve) => setTimeout(resolve, 11));
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  closeStdin(): void {
    this.#process.stdin?.end();
  }

  /** Its living descendants whose command line holds `part`; itself among them while it lives. */
  family(part = ''): Relative[] {
    return familyOf(this.folder).filter(({ command }) => command.includes(part));
  }
}

/** Ours without anything that would be an option of Ringside, but for the engine that `TEST_ENGINE` names. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { TEST_ENGINE: engine, ...ours } = process.env;
  const kept = Object.entries(ours).filter(
    ([name]) => !/^(RINGSIDE_|SHARDS$|ANYCABLE_|NO_COLOR$|FORCE_COLOR$)/.test(name),
  );
  return { ...Object.fromEntries(kept), ...(engine !== undefined && { RINGSIDE_ENGINE: engine }) };
}
