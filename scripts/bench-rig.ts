import { parseArgs } from 'node:util';
import { exitCodes } from '../src/contract/exit-codes.js';
import type { Bench, BenchContext } from './bench-rig/bench.js';
import { judge, type Outcome } from './bench-rig/findings.js';
import { benches } from './bench-rig/list.js';

const usage = `bench-rig [--quick] [--only ${benches.map(({ name }) => name).join('|')}]...`;

/** Benchmarks of the rig itself: one table on stdout, exit code 1 when a bound is broken. */
async function main(): Promise<void> {
  const { quick, only } = readFlags();
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => controller.abort());
  const context: BenchContext = {
    isQuick: quick,
    signal: controller.signal,
    say: (text) => void process.stderr.write(`${text}\n`),
  };
  if (quick) context.say('quick: smaller loads; the bounds are meant for the full run');
  const outcomes: Outcome[] = [];
  for (const bench of benches.filter(({ name }) => only.length === 0 || only.includes(name))) {
    if (!controller.signal.aborted) outcomes.push(await outcomeOf(bench, context));
  }
  const { text, isKept } = judge(outcomes);
  process.stdout.write(`${text}\n`);
  if (controller.signal.aborted) process.exitCode = exitCodes.interrupted.code;
  else if (!isKept) process.exitCode = exitCodes.bug.code;
}

/** A bench that fails leaves its bounds broken, with the reason, and the others run all the same. */
async function outcomeOf(bench: Bench, context: BenchContext): Promise<Outcome> {
  context.say(`${bench.name} ...`);
  try {
    return { bench, findings: await bench.run(context) };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    context.say(`${bench.name}: ${error instanceof Error ? error.stack : failure}`);
    return { bench, findings: [], failure };
  }
}

function readFlags(): { quick: boolean; only: string[] } {
  try {
    const { quick, only } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
      },
    }).values;
    const unknown = only.filter((name) => !benches.some((bench) => bench.name === name));
    if (unknown.length > 0) throw new TypeError(`there is no bench called ${unknown.join(', ')}`);
    return { quick, only };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\n${usage}\n`);
    return process.exit(exitCodes.input.code);
  }
}

await main();
