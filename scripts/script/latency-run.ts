import { type RunResult, runResult } from '../../src/results/result.js';
import { CliProcess } from '../bench-rig/processes/cli-process.js';

/** A run left no result. The message is what the command printed on stderr. */
export class NoResultError extends Error {
  override readonly name = 'NoResultError';
  readonly exitCode: number | null;

  constructor(exitCode: number | null, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs `ringside run latency` with these flags and reads its kept result. Throws `NoResultError`. */
export async function latencyRun(
  flags: readonly string[],
  signal: AbortSignal,
  withinMs: number,
): Promise<{ result: RunResult; directory: string }> {
  const run = new CliProcess(['run', 'latency', ...flags, '--json'], signal, withinMs);
  const { stdout, stderr, exitCode } = await run.ended;
  const [, directory] = /^kept in (.+)$/m.exec(stderr) ?? [];
  if (directory === undefined) throw new NoResultError(exitCode, stderr);
  return { result: runResult.parse(JSON.parse(stdout)), directory };
}
