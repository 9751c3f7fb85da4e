import type { z } from 'zod';
import { type ExitName, exitCodes } from '../../src/contract/exit-codes.js';
import { readFlags, usageOf } from './flags.js';
import { NoResultError } from './latency-run.js';

/** The variables that would change the load of `ringside`. Where results go is no part of a load. */
export function loadVariables(names: readonly string[]): string[] {
  const kept = ['RINGSIDE_RESULTS', 'RINGSIDE_TRUST'];
  return names.filter((name) => /^(RINGSIDE_|SHARDS$|TARGET$)/.test(name) && !kept.includes(name));
}

/**
 * Runs a script: reads its flags, clears the environment of load variables and sets the exit code. `signal` aborts at
 * SIGINT, SIGTERM and SIGHUP.
 */
export async function runScript<S extends z.ZodObject>(
  name: string,
  schema: S,
  work: (flags: z.output<S>, signal: AbortSignal) => Promise<ExitName>,
): Promise<void> {
  for (const variable of loadVariables(Object.keys(process.env))) delete process.env[variable];
  const controller = new AbortController();
  for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(each, () => controller.abort());
  try {
    const end = await work(flagsOrExit(name, schema), controller.signal);
    process.exitCode = exitCodes[controller.signal.aborted ? 'interrupted' : end].code;
  } catch (error) {
    if (controller.signal.aborted) process.exitCode = exitCodes.interrupted.code;
    else if (error instanceof NoResultError) {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = error.exitCode ?? exitCodes.bug.code;
    } else throw error;
  }
}

function flagsOrExit<S extends z.ZodObject>(name: string, schema: S): z.output<S> {
  try {
    return readFlags(schema, process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\n${usageOf(name, schema)}\n`);
    return process.exit(exitCodes.input.code);
  }
}
