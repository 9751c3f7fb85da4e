import { exitCodes } from '../src/contract/exit-codes.js';
import { loadVariables } from './lying-rig/environment.js';
import { readFlags, usageOf } from './lying-rig/flags.js';
import { latencyRun, NoResultError } from './lying-rig/latency-run.js';
import { isKept, renderOdds, type Throw } from './verdict-odds/odds.js';
import { type OddsOptions, oddsOptions, type Shape, shapesOf } from './verdict-odds/shapes.js';

/** How often a verdict comes out as it should: exit code 1 when a promise is broken, and 130 when it was interrupted; the runs until then are shown. */
async function verdictOdds(options: OddsOptions): Promise<number> {
  const controller = new AbortController();
  const { signal } = controller;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => controller.abort());
  const outcomes = shapesOf(options).map((shape) => ({ shape, throws: [] as Throw[] }));
  try {
    for (let run = 1; run <= options.runs; run++) {
      // A B A B: what changes on the machine meanwhile changes for both.
      for (const { shape, throws } of outcomes) {
        throws.push(await throwOnce(shape, `${run}/${options.runs}`, signal));
      }
    }
  } catch (error) {
    if (!(error instanceof NoResultError)) throw error;
    if (!signal.aborted) {
      process.stderr.write(`${error.message}\n`);
      return error.exitCode ?? exitCodes.bug.code;
    }
  }
  process.stdout.write(`${renderOdds(outcomes)}\n`);
  if (signal.aborted) return exitCodes.interrupted.code;
  return exitCodes[outcomes.every(isKept) ? 'clean' : 'bug'].code;
}

/** One run, told of on stderr. Throws `NoResultError` where there is none, or none to be counted because the user ended it. */
async function throwOnce({ name, flags, seconds }: Shape, number: string, signal: AbortSignal): Promise<Throw> {
  process.stderr.write(`${number} ${name}, about ${seconds} s ... `);
  const { result, directory } = await latencyRun(flags, signal, seconds * 2000 + 60_000);
  if (signal.aborted) throw new NoResultError(exitCodes.interrupted.code, 'interrupted');
  const { verdict, metrics } = result;
  const rules = verdict.evidence.map(({ rule }) => rule).join(', ');
  process.stderr.write(`${verdict.rig}${rules === '' ? '' : ` (${rules})`}\n`);
  return { verdict, p99: metrics.delivery?.p99 ?? null, directory };
}

function optionsOrExit(): OddsOptions {
  try {
    return readFlags(oddsOptions, process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\n${usageOf('verdict-odds', oddsOptions)}\n`);
    return process.exit(exitCodes.input.code);
  }
}

for (const name of loadVariables(Object.keys(process.env))) delete process.env[name];
process.exitCode = await verdictOdds(optionsOrExit());
