import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Session } from '../commands/command.js';
import { ProblemError, problem } from '../contract/problems.js';
import { refuseAmbiguous } from '../run/shards/shard-addresses.js';
import { ShardClient } from '../run/shards/shard-client.js';
import type { PlannedTarget } from '../run/target/planned-target.js';

/** Per bench-runner: no more start at once than there are cores. */
const startWithinMs = 30_000;
const endWithinMs = 8000;
const main = fileURLToPath(new URL('./main.js', import.meta.url));

/** Runs `work` with the given shards, or with bench-runners that it starts here and ends afterwards. */
export const withFleet: Session['withShards'] = async (fleet, targets, work) => {
  await refuseAmbiguous(fleet.shards, fleet.token);
  const children: ChildProcess[] = [];
  const shards = fleet.shards.map((url) => new ShardClient(url, fleet.token));
  try {
    if (shards.length === 0) {
      const started = await startLocal(fleet.localShards, targets.flatMap(hostsOf), children);
      shards.push(...started.map((shard) => new ShardClient(shard.url, fleet.token, shard)));
    }
    return await work(shards);
  } finally {
    await Promise.all(shards.map((shard) => shard.close()));
    await Promise.all(children.map(end));
  }
};

function hostsOf(target: PlannedTarget): string[] {
  if (target.isOurs) return [];
  const { wsUrl, publishUrl, inProcessUrl } = target;
  const urls = [wsUrl, publishUrl, ...(inProcessUrl ? [inProcessUrl] : [])];
  return urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

/** Starts bench-runners on free loopback ports; they end with this process. Throws `ProblemError` if one fails. */
async function startLocal(count: number, allowTargets: readonly string[], children: ChildProcess[]) {
  const shards: { url: string; ended(): string | undefined }[] = [];
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
    return shards;
  } catch (error) {
    isFailing = true;
    const message = `${shards.length} of ${count} bench-runners started on this machine; ${(error as Error).message}`;
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
    const fail = (why: string): void => {
      clearTimeout(timer);
      reject(new Error(why));
    };
    const timer = setTimeout(() => fail(`one did not listen within ${startWithinMs / 1000} s`), startWithinMs);
    child.once('exit', () => fail(`one ended before it listened: ${endOf(child)}`));
    child.once('error', ({ message }) => fail(`one could not start: ${message}`));
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

/** Closes the stdin of a bench-runner, which then ends at once: its results are fetched. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || endOf(child) !== undefined) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  await ended;
  clearTimeout(timer);
}
