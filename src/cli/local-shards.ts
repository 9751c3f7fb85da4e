import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ProblemError, problem } from '../contract/problems.js';

/** For one alone: no more are started at once than there are cores. */
const startWithinMs = 30_000;
const endWithinMs = 8000;
const main = fileURLToPath(new URL('./main.js', import.meta.url));

/** Bench-runners on this machine: a fleet of one, spoken to over HTTP like any other. */
export interface LocalShards {
  shards: LocalShard[];
  stop(): Promise<void>;
}

/** One of them; `ended` says how its process ended, where it did. */
export interface LocalShard {
  url: string;
  ended(): string | undefined;
}

/** Starts `count` bench-runners on free loopback ports. They end with this process, however it ends. Throws `ProblemError` where one does not start. */
export async function startLocalShards(count: number, allowTargets: readonly string[]): Promise<LocalShards> {
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(children.map((child) => end(child)));
  };
  const shards: LocalShard[] = [];
  let isFailing = false;
  const startInTurn = async (): Promise<void> => {
    while (children.length < count && !isFailing) {
      const child = launch(allowTargets);
      children.push(child);
      shards.push({ url: await addressOf(child), ended: () => endOf(child) });
    }
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, startInTurn));
    return { shards, stop };
  } catch (error) {
    isFailing = true;
    const started = shards.length;
    await stop();
    const message = `${started} of ${count} bench-runners started on this machine, and then ${(error as Error).message}`;
    throw new ProblemError([problem('shardNotStarted', message)]);
  }
}

function launch(allowTargets: readonly string[]): ChildProcess {
  const allow = ['loopback', ...allowTargets].flatMap((host) => ['--allow-target', host]);
  return spawn(process.execPath, [main, 'bench-runner', '--host', '127.0.0.1', '--port', '0', ...allow], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, RINGSIDE_EXIT_WITH_STDIN: '1' },
    // A group of its own: Ctrl-C in the terminal is for the driver, which still wants the partial results.
    detached: true,
  });
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`one did not listen within ${startWithinMs / 1000} s`)),
      startWithinMs,
    );
    const fail = (why: string): void => {
      clearTimeout(timer);
      reject(new Error(why));
    };
    child.once('exit', () => fail(`one ended before it listened: ${endOf(child)}`));
    child.once('error', ({ message }) => fail(`one could not be started: ${message}`));
    if (!child.stdout) return;
    createInterface(child.stdout).once('line', (line) => {
      clearTimeout(timer);
      const { listening } = JSON.parse(line) as { listening: { host: string; port: number } };
      resolve(`http://${listening.host}:${listening.port}`);
    });
  });
}

function endOf({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `its process ended (${signalCode})`;
  return exitCode === null ? undefined : `its process ended with exit code ${exitCode}`;
}

/** Closes its stdin, at which it ends at once: what it measured was fetched. */
function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.pid === undefined || endOf(child) !== undefined) {
      resolve();
      return;
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.stdin?.end();
  });
}
