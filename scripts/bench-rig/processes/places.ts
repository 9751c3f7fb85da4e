import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningTarget, startTarget } from '../../../src/targets/launch/process.js';
import { targetByName } from '../../../src/targets/list.js';
import { CliProcess } from './cli-process.js';

/** A bench-runner ends a job after an hour. */
const withinMs = 3_900_000;

/** Runs `work` against `uws`, the target that leaves the most of the machine to the clients. */
export async function withTarget<T>(work: (target: RunningTarget) => Promise<T>): Promise<T> {
  const target = await startTarget(targetByName('uws')!, { host: '127.0.0.1' });
  try {
    return await work(target);
  } finally {
    await target.stop();
  }
}

/** Runs `work` with a temporary directory. */
export async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-rig-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Runs `work` with a bench-runner on a free loopback port. */
export async function withBenchRunner<T>(
  signal: AbortSignal,
  work: (runner: { url: string; pid: number }) => Promise<T>,
): Promise<T> {
  const runner = new CliProcess(['bench-runner', '--host', '127.0.0.1', '--port', '0'], signal, withinMs);
  try {
    const [, port] = await runner.saw(/"listening":.*"port":(\d+)/, 'stdout');
    return await work({ url: `http://127.0.0.1:${port}`, pid: runner.pid });
  } finally {
    await runner.stop();
  }
}
