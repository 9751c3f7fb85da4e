import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningTarget, type StartOptions, startTarget } from '../../../src/targets/launch/process.js';
import { targetByName } from '../../../src/targets/list.js';
import { inspectorFlags, inspectorLine } from './memory.js';
import { ringside } from './program.js';

/** A bench-runner ends a job after an hour. */
const runnerWithinMs = 3_900_000;

/** Runs `work` against a target; `uws` leaves the largest part of the machine to the clients. */
export async function withTarget<T>(
  work: (target: RunningTarget) => Promise<T>,
  name = 'uws',
  options: Pick<StartOptions, 'options' | 'processes'> = {},
): Promise<T> {
  const target = await startTarget(targetByName(name)!, { host: '127.0.0.1', ...options });
  try {
    return await work(target);
  } finally {
    await target.stop();
  }
}

/** Runs `work` with an empty directory, which is removed afterwards. */
export async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'ringside-bench-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Describes a bench-runner on a free loopback port. `inspector` is the address of its inspector, if it has one. */
export interface BenchRunner {
  url: string;
  pid: number;
  inspector: string | undefined;
}

/** Runs `work` with a bench-runner. With `isInspected`, this process can make it collect its garbage. */
export async function withBenchRunner<T>(
  signal: AbortSignal,
  work: (runner: BenchRunner) => Promise<T>,
  { isInspected = false, flags = [] as readonly string[] } = {},
): Promise<T> {
  const args = ['bench-runner', '--host', '127.0.0.1', '--port', '0', ...flags];
  const runner = ringside(args, signal, runnerWithinMs, isInspected ? inspectorFlags : []);
  try {
    const [, port] = await runner.saw(/"listening":.*"port":(\d+)/, 'stdout');
    const inspector = isInspected ? (await runner.saw(inspectorLine))[1] : undefined;
    return await work({ url: `http://127.0.0.1:${port}`, pid: runner.pid, inspector });
  } finally {
    await runner.stop();
  }
}
