import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningTarget, startTarget } from '../../../src/targets/launch/process.js';
import { targetByName } from '../../../src/targets/list.js';
import { CliProcess } from './cli-process.js';
import { inspectorFlags, inspectorLine } from './inspector.js';

/** A bench-runner ends a job after an hour. */
const withinMs = 3_900_000;

/** Runs `work` against `uws`, the target that leaves the largest part of the machine to the clients. */
export async function withTarget<T>(work: (target: RunningTarget) => Promise<T>): Promise<T> {
  const target = await startTarget(targetByName('uws')!, { host: '127.0.0.1' });
  try {
    return await work(target);
  } finally {
    await target.stop();
  }
}

export async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-rig-'));
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

/**
 * Runs `work` with a bench-runner. With `isInspected`, other processes can inspect it and make it collect its garbage.
 */
export async function withBenchRunner<T>(
  signal: AbortSignal,
  work: (runner: BenchRunner) => Promise<T>,
  { isInspected = false } = {},
): Promise<T> {
  const args = ['bench-runner', '--host', '127.0.0.1', '--port', '0'];
  const runner = new CliProcess(args, signal, withinMs, isInspected ? inspectorFlags : []);
  try {
    const [[, port], [, inspector] = []] = await Promise.all([
      runner.saw(/"listening":.*"port":(\d+)/, 'stdout'),
      isInspected ? runner.saw(inspectorLine) : undefined,
    ]);
    return await work({ url: `http://127.0.0.1:${port}`, pid: runner.pid, inspector });
  } finally {
    await runner.stop();
  }
}
