import { terminalStyle } from '../src/cli/terminal/style.js';
import { exitCodes } from '../src/contract/exit-codes.js';
import { count } from '../src/units/words.js';
import { conclude } from './lying-rig/conclusion.js';
import { loadVariables } from './lying-rig/environment.js';
import { readFlags, usageOf } from './lying-rig/flags.js';
import { latencyRun, NoResultError } from './lying-rig/latency-run.js';
import { type Reading, readingOf } from './lying-rig/reading.js';
import { type Load, lyingRigOptions, roomyRig, secondsOf, starvedRig } from './lying-rig/rigs.js';
import { sideBySide } from './lying-rig/side-by-side.js';

/** Twice the time that a run should take, and a minute. */
const withinMs = (load: Load): number => secondsOf(load) * 2000 + 60_000;

/** Measures one server by one saturated event loop and by a rig with room: exit code 0 when the reversal shows, 4 when it does not. */
async function lyingRig(load: Load): Promise<number> {
  const controller = new AbortController();
  const { signal } = controller;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => controller.abort());
  const measure = async (what: string, flags: readonly string[]): Promise<Reading> => {
    process.stderr.write(`${what}, about ${secondsOf(load)} s ...\n`);
    const { result, directory } = await latencyRun(flags, signal, withinMs(load));
    process.stderr.write(`kept in ${directory}\n`);
    return readingOf(result);
  };
  try {
    const clients = `${count(load.subscribers)} clients`;
    const starved = await measure(`1/2  ${clients} of the real library on one event loop`, starvedRig(load));
    if (signal.aborted) return exitCodes.interrupted.code;
    const roomy = await measure(`2/2  ${clients} of our own on two bench-runners`, roomyRig(load));
    if (signal.aborted) return exitCodes.interrupted.code;
    const conclusion = conclude(starved, roomy);
    process.stdout.write(`${sideBySide(load, starved, roomy, conclusion, terminalStyle())}\n`);
    return exitCodes[conclusion.isShown ? 'clean' : 'rig'].code;
  } catch (error) {
    if (!(error instanceof NoResultError)) throw error;
    if (signal.aborted) return exitCodes.interrupted.code;
    process.stderr.write(`${error.message}\n`);
    return error.exitCode ?? exitCodes.bug.code;
  }
}

function loadOrExit(): Load {
  try {
    return readFlags(lyingRigOptions, process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\n${usageOf('lying-rig', lyingRigOptions)}\n`);
    return process.exit(exitCodes.input.code);
  }
}

for (const name of loadVariables(Object.keys(process.env))) delete process.env[name];
process.exitCode = await lyingRig(loadOrExit());
