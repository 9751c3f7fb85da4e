import { type RunResult, runResult } from '../../src/results/result.js';
import { CliProcess } from '../bench-rig/processes/cli-process.js';

/** A run and where it is kept. */
export interface KeptRun {
  result: RunResult;
  directory: string;
}

/** A run that left no result: refused before any load, or broken. `message` is what the command said. */
export class NoResultError extends Error {
  override readonly name = 'NoResultError';
  readonly exitCode: number | null;

  constructor(exitCode: number | null, said: string) {
    super(said);
    this.exitCode = exitCode;
  }
}

/** Runs `ringside run latency` with these flags as its user would, and reads its result, whatever its verdict. Throws `NoResultError`. */
export async function latencyRun(flags: readonly string[], signal: AbortSignal, withinMs: number): Promise<KeptRun> {
  const run = new CliProcess(['run', 'latency', ...flags, '--json'], signal, withinMs);
  const { stdout, stderr, exitCode } = await run.ended;
  const [, directory] = /^kept in (.+)$/m.exec(stderr) ?? [];
  if (directory === undefined) throw new NoResultError(exitCode, stderr);
  return { result: runResult.parse(JSON.parse(stdout)), directory };
}
