import { setTimeout as delay } from 'node:timers/promises';
import { CliProcess, resultIn } from './cli-process.js';
import { withBenchRunner, withDirectory } from './places.js';
import { rssBytesOf } from './process-files.js';

/** Lets the garbage collector and compiler finish, after the start and after the ramp. */
const settleMs = 5000;
const besideMs = 180_000;

/** Runs `work` during the hold of a real idle run. Throws if a connection is lost. `idleRssBytes`: before the job. */
export async function whileHeld<T>(
  { connections, rampPerSecond, holdMs }: { connections: number; rampPerSecond: number; holdMs: number },
  signal: AbortSignal,
  work: (holder: { pid: number; idleRssBytes: number }) => Promise<T>,
): Promise<T> {
  const load = `--connections ${connections} --ramp-rate ${rampPerSecond}/s --settle ${settleMs}ms --hold ${holdMs}ms`;
  return withDirectory((directory) =>
    withBenchRunner(signal, async ({ url, pid }) => {
      await delay(settleMs, undefined, { signal });
      const idleRssBytes = rssBytesOf(pid);
      const job = ['--target', 'uws', '--shard', url, ...load.split(' ')];
      const args = ['run', 'idle', ...job, '--json', '--results', directory];
      const run = new CliProcess(args, signal, settleMs + holdMs + besideMs);
      try {
        await run.saw(/ hold /);
        await delay(settleMs, undefined, { signal });
        const value = await work({ pid, idleRssBytes });
        const { held, lost } = resultIn(await run.ended).ledger;
        if (held !== connections) throw new Error(`${held} of ${connections} connections were held, ${lost} lost`);
        return value;
      } finally {
        await run.stop();
      }
    }),
  );
}
