import { execFile, spawn } from 'node:child_process';
import { outsideText } from '../../../units/outside-text.js';

const answerWithinMs = 30_000;
/** Of what a failed command printed. */
const longestPrinted = 700;
/** `kubectl get pods -o json` prints about 10 kB for each pod. */
const longestAnswer = 256 * 1024 * 1024;

/** Thrown when a command of an engine fails; `isMissing` if its program is not installed here. */
export class CommandFailed extends Error {
  constructor(
    message: string,
    readonly isMissing: boolean,
  ) {
    super(message);
  }
}

/** Runs the commands of the engines that the user has. */
export class EngineCommands {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly #say: (line: string) => void;
  readonly #said = new Set<string>();

  /** `say` gets each command, once, before it runs. */
  constructor(env: Readonly<Record<string, string | undefined>>, say: (line: string) => void) {
    this.env = env;
    this.#say = say;
  }

  /** The stdout of a command. Throws `CommandFailed` with what it printed. */
  run(program: string, args: readonly string[]): Promise<string> {
    const line = commandLine(program, args);
    if (!this.#said.has(line)) this.#say(`$ ${line}`);
    this.#said.add(line);
    return new Promise((resolve, reject) => {
      const options = { env: { ...this.env }, timeout: answerWithinMs, maxBuffer: longestAnswer };
      const child = execFile(program, args, options, (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        reject(new CommandFailed(`\`${line}\` ${failureOf(error, stderr.trim() || stdout.trim())}`, isMissing));
      });
      child.stdin?.end();
    });
  }

  /** Runs a command whose output is for the user: it goes to stderr. Throws `CommandFailed`. */
  pass(program: string, args: readonly string[]): Promise<void> {
    const line = commandLine(program, args);
    this.#say(`$ ${line}`);
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, { env: { ...this.env }, stdio: ['ignore', 2, 2] });
      child.once('error', (error: NodeJS.ErrnoException) =>
        reject(new CommandFailed(`\`${line}\` could not run: ${error.message}`, error.code === 'ENOENT')),
      );
      child.once('exit', (code, signal) => {
        if (code === 0) resolve();
        else reject(new CommandFailed(`\`${line}\` ended with ${signal ?? `exit code ${code}`}`, false));
      });
    });
  }
}

function failureOf(error: Error & { code?: unknown; killed?: boolean }, printed: string): string {
  if (error.code === 'ENOENT') return 'could not run: the program is not here';
  const end = error.killed ? `did not end within ${answerWithinMs / 1000} s` : `ended with exit code ${error.code}`;
  return printed === '' ? `${end} and printed nothing` : `${end} and printed: ${outsideText(printed, longestPrinted)}`;
}

/** A command as a user would type it. */
export function commandLine(program: string, args: readonly string[]): string {
  return [program, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`)).join(' ');
}
