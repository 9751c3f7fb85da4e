import { setTimeout as delay } from 'node:timers/promises';
import { type RunResult, runResult } from '../../../src/results/result.js';
import { withBenchRunner } from './bench-runner.js';
import { CliProcess } from './cli-process.js';
import { withDirectory } from './directory.js';
import { rssBytesOf } from './process-status.js';

/** What the start of the bench-runner, and then the ramp, left to be collected and compiled. */
const settleMs = 5000;
/** For everything beside the hold. */
const besideMs = 180_000;

/** How many connections are held, and for how long after settling. */
export interface Hold {
  connections: number;
  rampPerSecond: number;
  holdMs: number;
}

/** The one bench-runner that holds them all. */
export interface Holder {
  pid: number;
  /** Resident memory before it had a job. */
  idleRssBytes: number;
}

/**
 * Runs `work` from the start of the hold of a real `ringside run idle` against uWebSockets.js; it has to be through before the hold is. Throws when the
 * run does not prove every connection at its end: fewer would be another test.
 */
export async function whileHeld<T>(
  { connections, rampPerSecond, holdMs }: Hold,
  signal: AbortSignal,
  work: (holder: Holder) => Promise<T>,
): Promise<{ value: T; result: RunResult }> {
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
        const { stdout, stderr, exitCode } = await run.ended;
        if (stdout === '') throw new Error(`the run left no result (exit code ${exitCode}): ${stderr}`);
        const result = runResult.parse(JSON.parse(stdout));
        const { held, lost } = result.ledger;
        if (held !== connections) throw new Error(`${held} of ${connections} connections were held, ${lost} lost`);
        return { value, result };
      } finally {
        await run.stop();
      }
    }),
  );
}
