import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { problemError } from '../contract/problems.js';
import type { EngineCommands } from '../run/engines/engine-commands.js';
import { areShardsGiven, type FleetOptions } from '../run/plan/run-options.js';
import type { PlannedTarget } from '../run/server/planned.js';
import { openShards } from '../run/shards/open-shards.js';
import { ShardClient } from '../run/shards/shard-client.js';
import { hostOf } from '../units/addresses.js';
import { ringsideProgram } from '../units/package-files.js';
import { isInOwnNetwork } from './own-network.js';
import { note } from './terminal/output.js';

/** Timeout for each bench-runner. At most one per core starts at once. */
const startWithinMs = 60_000;
const endWithinMs = 8000;

const noteEveryMs = process.stderr.isTTY ? 3000 : 10_000;

/** Runs `work` with the given shards, or with bench-runners that start here meanwhile and end afterwards. */
export async function withFleet<T>(
  fleet: FleetOptions,
  targets: readonly PlannedTarget[],
  { engines, interrupt }: { engines: EngineCommands; interrupt(): AbortSignal },
  work: (shards: ShardClient[]) => Promise<T>,
): Promise<T> {
  if (fleet.hasOwnNetwork && !isInOwnNetwork())
    throw problemError(
      'ownNetwork',
      '--own-network: this command starts load generators of its own; it goes with one run, search or comparison',
    );
  const areGiven = areShardsGiven(fleet);
  const given = areGiven ? await openShards(fleet, engines, { note, interrupt, noteEveryMs }) : [];
  const local = startHere(areGiven ? 0 : fleet.localShards, targets.flatMap(hostsOf));
  const shards = [...given, ...local.shards];
  try {
    return await work(shards);
  } finally {
    await Promise.all(shards.map((shard) => shard.close()));
    await local.end();
  }
}

function hostsOf(target: PlannedTarget): string[] {
  if (target.isOurs) return [];
  const { wsUrl, publishUrl, inProcessUrl } = target;
  const urls = [wsUrl, publishUrl, ...(inProcessUrl ? [inProcessUrl] : [])];
  return urls.map(hostOf);
}

/** Starts bench-runners on free loopback ports. `end` ends them. Requests wait for the start and throw if it fails. */
function startHere(count: number, allowTargets: readonly string[]) {
  const token = randomBytes(32).toString('base64url');
  const children: ChildProcess[] = [];
  let started = 0;
  let isEnding = false;
  const start = async (index: number): Promise<string> => {
    try {
      if (isEnding) throw new Error('the rest is not needed any more');
      const child = launch(token, allowTargets);
      children[index] = child;
      const url = await addressOf(child);
      started++;
      return url;
    } catch (error) {
      const reason = `${started} of ${count} bench-runners started on this machine; ${(error as Error).message}`;
      throw problemError('shardNotStarted', reason);
    }
  };
  const cores = availableParallelism();
  const urls: Promise<string>[] = [];
  for (let index = 0; index < count; index++) {
    const before = urls[index - cores] ?? Promise.resolve('');
    const url = before.then(() => start(index));
    // If there is a request, it throws the error.
    url.catch(() => undefined);
    urls.push(url);
  }
  const ended = (index: number) => (): string | undefined => {
    const child = children[index];
    return child && endOf(child);
  };
  return {
    shards: urls.map((url, index) => new ShardClient(url, token, { ended: ended(index) })),
    async end(): Promise<void> {
      isEnding = true;
      await Promise.all(children.filter((child) => child !== undefined).map(end));
    },
  };
}

function launch(token: string, allowTargets: readonly string[]): ChildProcess {
  const allow = ['--allow-modules', ...['loopback', ...allowTargets].flatMap((host) => ['--allow-target', host])];
  return spawn(process.execPath, [ringsideProgram, 'bench-runner', '--host', '127.0.0.1', '--port', '0', ...allow], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // The first line of its stdout is its address, never problems as JSON. Other users see arguments, but no variables.
    env: { ...process.env, RINGSIDE_JSON: undefined, RINGSIDE_EXIT_WITH_STDIN: '1', RINGSIDE_TOKEN: token },
    // A group of its own. Ctrl-C in the terminal is for the driver, which still needs the partial results.
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

/** Closes the stdin of a bench-runner. It then ends at once, as its results are fetched. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || endOf(child) !== undefined) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  await ended;
  clearTimeout(timer);
}
