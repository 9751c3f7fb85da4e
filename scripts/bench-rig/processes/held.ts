import { setTimeout as delay } from 'node:timers/promises';
import { CliProcess, resultIn } from './cli-process.js';
import { type BenchRunner, withBenchRunner, withDirectory } from './places.js';
import { rssBytesOf } from './process-files.js';

/** Lets the garbage collector and compiler finish, after the start and after the ramp. */
const settleMs = 5000;
const besideMs = 180_000;

/** What a bench-runner holds; it may be an inspected one. */
export interface Hold {
  connections: number;
  rampPerSecond: number;
  holdMs: number;
  isInspected?: boolean;
}

/** A bench-runner that holds. `idleRssBytes`: before the job; `endMs`: of the hold, on `performance.now()`. */
export type Holder = Pick<BenchRunner, 'pid' | 'inspector'> & { idleRssBytes: number; endMs: number };

/** Runs `work` during the hold of a real idle run. Throws if a connection is lost. */
export async function whileHeld<T>(
  { connections, rampPerSecond, holdMs, isInspected }: Hold,
  signal: AbortSignal,
  work: (holder: Holder) => Promise<T>,
): Promise<T> {
  const load = `--connections ${connections} --ramp-rate ${rampPerSecond}/s --settle ${settleMs}ms --hold ${holdMs}ms`;
  const hold = async (directory: string, { url, pid, inspector }: BenchRunner): Promise<T> => {
    await delay(settleMs, undefined, { signal });
    const idleRssBytes = rssBytesOf(pid);
    const job = ['--target', 'uws', '--shard', url, ...load.split(' ')];
    const args = ['run', 'idle', ...job, '--json', '--results', directory];
    const run = new CliProcess(args, signal, settleMs + holdMs + besideMs);
    try {
      await run.saw(/ hold /);
      const endMs = performance.now() + holdMs;
      await delay(settleMs, undefined, { signal });
      const value = await work({ pid, inspector, idleRssBytes, endMs });
      const { held, lost } = resultIn(await run.ended).ledger;
      if (held !== connections) throw new Error(`${held} of ${connections} connections were held, ${lost} lost`);
      return value;
    } finally {
      await run.stop();
    }
  };
  return withDirectory((directory) =>
    withBenchRunner(signal, (runner) => hold(directory, runner), { isInspected: isInspected ?? false }),
  );
}
