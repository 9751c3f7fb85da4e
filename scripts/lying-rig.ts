import { terminalStyle } from '../src/cli/terminal/output.js';
import type { ExitName } from '../src/contract/exit-codes.js';
import type { RunResult } from '../src/results/result.js';
import { countText } from '../src/units/text.js';
import {
  isReversed,
  type LyingLoad,
  lyingRigOptions,
  roomyRig,
  secondsOf,
  sideBySide,
  starvedRig,
} from './bench/lying-rig.js';
import { latencyRun, runScript } from './bench/script.js';

/** Measures one server with one saturated event loop, then with room. Exits with 4 if the p50 did not move. */
async function lyingRig(load: LyingLoad, signal: AbortSignal): Promise<ExitName> {
  const measure = async (what: string, flags: readonly string[]): Promise<RunResult> => {
    signal.throwIfAborted();
    process.stderr.write(`${what}, about ${secondsOf(load)} s ...\n`);
    const { result, directory } = await latencyRun(flags, signal, secondsOf(load) * 2000 + 60_000);
    process.stderr.write(`kept in ${directory}\n`);
    return result;
  };
  const clients = `${countText(load.clients)} clients`;
  const starved = await measure(`1/2  ${clients} of the real library on one event loop`, starvedRig(load));
  const roomy = await measure(`2/2  ${clients} of Ringside on two bench-runners`, roomyRig(load));
  signal.throwIfAborted();
  process.stdout.write(`${sideBySide(load, starved, roomy, terminalStyle())}\n`);
  return isReversed(starved, roomy) ? 'clean' : 'rig';
}

await runScript('lying-rig', lyingRigOptions, lyingRig);
