import type { RunResult } from '../../src/results/result.js';
import { CliProcess, resultIn } from '../bench-rig/processes/cli-process.js';

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
  const ended = await run.ended;
  const [, directory] = /^kept in (.+)$/m.exec(ended.stderr) ?? [];
  if (directory === undefined) throw new NoResultError(ended.exitCode, ended.stderr);
  return { result: resultIn(ended), directory };
}
