import { Command } from 'commander';
import { z } from 'zod';
import { reportFailure } from '../../src/cli/fail.js';
import { addPlainFlags, givenFlags } from '../../src/cli/options/flags.js';
import { exitCodes } from '../../src/contract/exit-codes.js';
import { resolveOrRefuse } from '../../src/contract/problems.js';
import { type BenchContext, judgeBenches, type Measurement, type Outcome, outcomeOf } from './judge.js';

/** Returns the variables that would change the load of `ringside`. The results directory is not part of a load. */
export function loadVariables(names: readonly string[]): string[] {
  const kept = ['RINGSIDE_RESULTS', 'RINGSIDE_TRUST'];
  return names.filter((name) => /^(RINGSIDE_|SHARDS$|TARGET$)/.test(name) && !kept.includes(name));
}

/** Runs a script: clears load variables, reads its flags, ends with its exit code. A user's signal aborts `signal`. */
export async function runScript<S extends z.ZodObject>(
  name: string,
  schema: S,
  work: (flags: z.output<S>, signal: AbortSignal) => Promise<number>,
): Promise<void> {
  for (const variable of loadVariables(Object.keys(process.env))) delete process.env[variable];
  const controller = new AbortController();
  for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(each, () => controller.abort());
  const command = new Command(name).exitOverride();
  addPlainFlags(command, schema);
  command.action(async () => {
    const flags = resolveOrRefuse(schema, { flags: givenFlags(command, schema) });
    process.exitCode = await work(flags, controller.signal);
  });
  await command.parseAsync().catch(reportFailure);
  if (controller.signal.aborted) process.exitCode = exitCodes.interrupted.code;
}

/** Returns the flags that choose measurements of a table. */
export function benchFlags(all: readonly Measurement[], quickHelp: string) {
  const names = all.map(({ name }) => name);
  return {
    isQuick: z.boolean().default(false).meta({ flag: 'quick', help: quickHelp }),
    only: z
      .array(z.string().refine((name) => names.includes(name), `expected one of ${names.join(', ')}`))
      .default([])
      .meta({ flag: 'only', placeholder: names.join('|'), help: 'run this bench only; repeatable' }),
  };
}

/** Returns the context of measurements that say what they do on stderr and keep nothing. */
export function toStderr(of: Pick<BenchContext, 'isQuick' | 'signal'>): BenchContext {
  return { ...of, say: (text) => void process.stderr.write(`${text}\n`), directory: 'results', row: () => undefined };
}

/** Makes the chosen measurements of a table, one after the other. `keep` gets the table after each. */
export async function madeInTurn(
  all: readonly Measurement[],
  only: readonly string[],
  context: BenchContext,
  keep: (text: string) => void = () => undefined,
): Promise<{ text: string; isKept: boolean }> {
  const outcomes: Outcome[] = [];
  const isAsked = ({ name, isOnRequest }: Measurement) => (only.length === 0 ? !isOnRequest : only.includes(name));
  for (const each of all.filter(isAsked)) {
    if (context.signal.aborted) break;
    outcomes.push(await outcomeOf(each, context));
    keep(judgeBenches(outcomes).text);
  }
  return judgeBenches(outcomes);
}
