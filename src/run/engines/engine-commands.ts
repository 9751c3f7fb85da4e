import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ProblemError, problem } from '../../contract/problems.js';
import { outsideText } from '../../units/text.js';

/** Names the Compose service, the Kubernetes StatefulSet and the Railway service of the bench-runners. */
export const benchRunners = 'bench-runner';

/** Returns the name of the Job, container or service for a driver that `ringside submit` starts. */
export function deployedName(runId: string): string {
  return `ringside-${runId}`;
}

const answerWithinMs = 30_000;
const longestPrinted = 700;

type Environment = Readonly<Record<string, string | undefined>>;

/** Describes a command of an engine, with its stdin. */
export interface EngineCommand {
  program: string;
  args: readonly string[];
  stdin?: string | undefined;
}

/** Thrown when a command of an engine fails; `isMissing` if its program is not installed here. */
export class CommandFailed extends ProblemError {
  constructor(
    message: string,
    readonly isMissing: boolean,
  ) {
    super([problem('engineFailed', message)]);
  }
}

/** Runs the commands of the engines that the user has. */
export class EngineCommands {
  readonly env: Environment;
  readonly #say: (line: string) => void;
  readonly #said = new Set<string>();

  /** `say` receives each command before it runs. A repeated command is reported once. */
  constructor(env: Environment, say: (line: string) => void) {
    this.env = env;
    this.#say = say;
  }

  /** Runs a command and returns its stdout. Throws `CommandFailed` with the printed text. */
  async ask(program: string, args: readonly string[]): Promise<string> {
    const command = { program, args };
    const line = commandLine(command.program, command.args);
    if (!this.#said.has(line)) this.#say(`$ ${line}`);
    this.#said.add(line);
    const child = this.#start(command, { output: 'pipe', timeout: answerWithinMs });
    const printed = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    const failure = await failureOf(child);
    const [stdout, stderr] = await printed;
    if (!failure) return stdout;
    const shown = outsideText(stderr.trim() || stdout.trim(), longestPrinted);
    const words = `${failure.words} and printed${shown === '' ? ' nothing' : `: ${shown}`}`;
    throw new CommandFailed(`\`${line}\` ${failure.isMissing ? failure.words : words}`, failure.isMissing);
  }

  /** Runs a command whose output is for the user and goes to stderr. Throws `CommandFailed`. */
  async pass(command: EngineCommand): Promise<void> {
    const line = commandLine(command.program, command.args);
    this.#say(`$ ${line}`);
    const failure = await failureOf(this.#start(command, { output: 2 }));
    if (failure) throw new CommandFailed(`\`${line}\` ${failure.words}`, failure.isMissing);
  }

  #start(
    { program, args, stdin }: EngineCommand,
    { output, timeout }: { output: 'pipe' | 2; timeout?: number },
  ): ChildProcess {
    const child = spawn(program, args, {
      env: this.env,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', output, output],
      ...(timeout !== undefined && { timeout }),
    });
    // If the program is missing or does not read stdin, its exit shows that.
    child.stdin?.on('error', () => undefined).end(stdin);
    return child;
  }
}

async function failureOf(child: ChildProcess): Promise<{ words: string; isMissing: boolean } | undefined> {
  return new Promise((resolve) => {
    child.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const isMissing = code === 'ENOENT';
      resolve({ words: `could not run: ${isMissing ? 'the program is not here' : message}`, isMissing });
    });
    child.once('close', (code, signal) => {
      const end = child.killed ? `did not end within ${answerWithinMs / 1000} s` : `ended with ${signal}`;
      const words = signal === null ? `ended with exit code ${code}` : end;
      resolve(code === 0 ? undefined : { words, isMissing: false });
    });
  });
}

async function textOf(stream: Readable | null): Promise<string> {
  return stream ? text(stream).catch(() => '') : '';
}

/** Formats a command for a shell. */
export function commandLine(program: string, args: readonly string[]): string {
  return [program, ...args].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
