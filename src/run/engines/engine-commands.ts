import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { ProblemError, problem } from '../../contract/problems.js';
import { outsideText } from '../../units/text.js';

/** Names the Compose service, the Kubernetes StatefulSet and the Railway service of the bench-runners. */
export const benchRunners = 'bench-runner';

/** Returns the name of the Job, container or service for a driver that `ringside submit` starts. */
export function deployedName(runId: string): string {
  return `ringside-${runId}`;
}

const run = promisify(execFile);

const answerWithinMs = 30_000;
const longestPrinted = 700;

/** Describes a command of an engine, with its stdin. */
interface EngineCommand {
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
  readonly #said = new Set<string>();

  /** `say` receives each command before it runs. A repeated command is reported once. */
  constructor(
    readonly env: Readonly<Record<string, string | undefined>>,
    private readonly say: (line: string) => void,
  ) {}

  /** Runs a command and returns its stdout. Throws `CommandFailed` with the printed text. */
  async ask(program: string, args: readonly string[]): Promise<string> {
    const line = commandLine(program, args);
    if (!this.#said.has(line)) this.say(`$ ${line}`);
    this.#said.add(line);
    const running = run(program, args, { env: this.env, timeout: answerWithinMs, maxBuffer: Number.POSITIVE_INFINITY });
    running.child.stdin?.end();
    const done = await running.catch((error: Failure) => error);
    if (!('code' in done)) return done.stdout;
    const shown = outsideText(done.stderr?.trim() || done.stdout?.trim() || '', longestPrinted);
    const printed = done.code === 'ENOENT' ? '' : ` and printed${shown === '' ? ' nothing' : `: ${shown}`}`;
    throw failed(line, done, printed);
  }

  /** Runs a command whose output is for the user and goes to stderr. Throws `CommandFailed`. */
  async pass({ program, args, stdin }: EngineCommand): Promise<void> {
    const line = commandLine(program, args);
    this.say(`$ ${line}`);
    const child = spawn(program, args, { env: this.env, stdio: [stdin === undefined ? 'ignore' : 'pipe', 2, 2] });
    // If the program is missing or does not read stdin, its exit shows that.
    child.stdin?.on('error', () => undefined).end(stdin);
    const [code, signal] = await once(child, 'close').catch((error: unknown) => {
      throw failed(line, error as Failure);
    });
    if (code !== 0) throw failed(line, { code, signal });
  }
}

/** How a command failed: by an error of the system, an exit code, or a signal. */
interface Failure {
  code: string | number | null;
  signal?: NodeJS.Signals;
  killed?: boolean;
  message?: string;
  stdout?: string;
  stderr?: string;
}

function failed(line: string, { code, signal, killed, message }: Failure, printed = ''): CommandFailed {
  const isMissing = code === 'ENOENT';
  let words = killed ? `did not end within ${answerWithinMs / 1000} s` : `ended with ${signal}`;
  if (typeof code === 'number') words = `ended with exit code ${code}`;
  if (typeof code === 'string') words = `could not run: ${isMissing ? 'the program is not here' : message}`;
  return new CommandFailed(`\`${line}\` ${words}${printed}`, isMissing);
}

/** Formats a command for a shell. */
export function commandLine(program: string, args: readonly string[]): string {
  return [program, ...args].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
