import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Problem } from '../src/contract/problems.js';
import { type RunResult, runResult } from '../src/results/result.js';
import { built } from './built.js';
import { Command, type Ended } from './command.js';
import { familyOf } from './family.js';
import { Fleet } from './fleet.js';
import { asJson, refusal } from './refusal.js';

/** A server of a test's own, and where it listens. */
export interface Served {
  port: number;
  command: Command;
}

/**
 * Bench-runners for runs that are not about their processes. Files that share a process share them: they end with it.
 */
const fleet = new Fleet(
  () => {
    const args = [built('src/cli/main.js'), 'bench-runner', '--port', '0', '--allow-modules'];
    return listening(new Command(process.execPath, args, tmpdir(), { RINGSIDE_EXIT_WITH_STDIN: '1' }));
  },
  Number(process.env.TEST_SHARDS ?? 3),
);

/** A temporary folder in which one test file starts its programs and keeps their results. */
export class Workplace {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'ringside-test-')));
  readonly #commands: Command[] = [];
  readonly fleet = fleet;

  /** Starts any program, with a folder of its own that is its TMPDIR and working directory and takes its results. */
  start(program: string, args: readonly string[], env: Record<string, string | undefined> = {}): Command {
    const folder = join(this.folder, `${this.#commands.length}-`);
    mkdirSync(folder, { recursive: true });
    const command = new Command(program, args, folder, { RINGSIDE_RESULTS: join(folder, 'results'), ...env });
    this.#commands.push(command);
    return command;
  }

  /** Starts `ringside`. */
  ringside(args: readonly string[], env: Record<string, string | undefined> = {}): Command {
    return this.start(process.execPath, [built('src/cli/main.js'), ...args], env);
  }

  /** Runs `ringside` to its end. */
  async run(args: readonly string[], env: Record<string, string | undefined> = {}): Promise<Ended> {
    return this.ringside(args, env).ended;
  }

  /** Runs `ringside` to its end over running bench-runners, which halves the time that a run takes. */
  measure(args: readonly string[], shards = 1, env: Record<string, string | undefined> = {}): Promise<Ended> {
    return this.fleet.lend(shards, (fleet) => this.run(args, { ...fleet, ...env }));
  }

  /** The same; throws if the run leaves a process behind. */
  measureWhole(args: readonly string[], shards = 1, env: Record<string, string | undefined> = {}): Promise<Ended> {
    return this.fleet.lend(shards, async (fleet) => {
      const command = this.ringside(args, { ...fleet, ...env });
      const ended = await command.ended;
      const left = command.family();
      if (left.length > 0) throw new Error(`left behind: ${left.map(({ command: line }) => line).join('; ')}`);
      return ended;
    });
  }

  /** The problems of a `ringside` that refuses its input before it makes any load. */
  refused(args: readonly string[], env: Record<string, string | undefined> = {}): Promise<Problem[]> {
    return refusal(this.ringside(args, { ...asJson, ...env }));
  }

  /** Starts a compiled server that says on stdout where it listens. */
  async serve(
    path: string,
    args: readonly string[] = [],
    env: Record<string, string | undefined> = {},
  ): Promise<Served> {
    return listening(this.start(process.execPath, [built(path), ...args], env));
  }

  /** Starts a bench-runner on a free port, unless `args` name one. */
  async benchRunner(args: readonly string[] = [], env: Record<string, string | undefined> = {}): Promise<Served> {
    return listening(this.ringside(['bench-runner', '--port', '0', ...args], env));
  }

  /** A file of running `ws-json` targets, by name. */
  targetFile(name: string, servers: Readonly<Record<string, Pick<Served, 'port'>>>): string {
    const entries = Object.entries(servers).map(
      ([target, { port }]) =>
        `- { name: ${target}, protocol: ws-json, targetUrl: "ws://127.0.0.1:${port}/ws", ` +
        `publishUrl: "http://127.0.0.1:${port}/_broadcast" }\n`,
    );
    const file = join(this.folder, name);
    writeFileSync(file, entries.join(''));
    return file;
  }

  /** Ends all that was started here and still lives, and removes the folder. */
  clear(): void {
    for (const command of this.#commands) command.kill('SIGKILL');
    for (const { pid } of familyOf(this.folder)) killIfThere(pid);
    this.#commands.length = 0;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 7, retryDelay: 101 });
  }
}

async function listening(command: Command): Promise<Served> {
  const [line] = await command.said('stdout', /^.*\n/);
  const { port } = (JSON.parse(line) as { listening: { port: number } }).listening;
  return { port, command };
}

const places: Workplace[] = [];
process.once('exit', () => {
  for (const place of places) place.clear();
});

/**
 * The workplace of a test file, cleared after its last test. One of a module that several files import is cleared after
 * the first of them, and when their process ends.
 */
export function workplace(): Workplace {
  const place = new Workplace();
  places.push(place);
  afterAll(() => place.clear());
  return place;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The directory of its results that a command names on stderr, first of all. */
export function keptDirectory({ stderr }: Ended): string {
  const [path] = (stderr.match(/\/\S+/g) ?? []).filter((name) => {
    return statSync(name, { throwIfNoEntry: false })?.isDirectory() && name.includes('/ringside-test-');
  });
  if (path === undefined) throw new Error(`no result was kept: ${stderr}`);
  return path;
}

/** The kept result of a run, checked against the schema. */
export function keptResult(ended: Ended): RunResult {
  return resultIn(keptDirectory(ended));
}

/** The result that lies in a directory. */
export function resultIn(directory: string): RunResult {
  return runResult.parse(JSON.parse(readFileSync(join(directory, 'result.json'), 'utf8')));
}

/** The rules that void a run, but for that of its time: a machine with other things to do may take it. */
export function voidedBy({ verdict }: Pick<RunResult, 'verdict'>): string[] {
  return verdict.evidence.flatMap(({ level, rule }) => (level === 'void' && rule !== 'elapsed-overrun' ? rule : []));
}

/** The exit code of a run that went to its end and broke no threshold: its verdict decides, and the machine that. */
export function exitOf({ verdict }: Pick<RunResult, 'verdict'>): number {
  return verdict.rig === 'clean' ? 0 : 4;
}

/** Every file under a directory, by its path in there. */
export function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
}
