import { terminalStyle } from '../src/cli/terminal/output.js';
import { exitCodes } from '../src/contract/exit-codes.js';
import type { RunResult } from '../src/results/result.js';
import { countText } from '../src/units/text.js';
import { isReversed, type LyingLoad, lyingRigOptions, roomyRig, sideBySide, starvedRig } from './bench/lying-rig.js';
import { resultIn, ringside } from './bench/processes/program.js';
import { runScript } from './bench/script.js';

const withinMs = 3_600_000;

/** Measures one server with one saturated event loop, then with room. Exits with 4 if the p50 did not move. */
await runScript('lying-rig', lyingRigOptions, async (load: LyingLoad, signal) => {
  const clients = `${countText(load.clients)} clients`;
  const rigs = [
    [`${clients} of the real library on one event loop`, starvedRig(load)],
    [`${clients} of Ringside on two bench-runners`, roomyRig(load)],
  ] as const;
  const results: RunResult[] = [];
  for (const [what, flags] of rigs) {
    process.stderr.write(`${results.length + 1}/2  ${what} ...\n`);
    const ended = await ringside(['run', 'latency', ...flags, '--json'], signal, withinMs).ended;
    signal.throwIfAborted();
    process.stderr.write(`${ended.stderr}\n`);
    // A run that was refused keeps nothing, and says why.
    if (!/^kept in /m.test(ended.stderr)) return ended.exitCode ?? exitCodes.bug.code;
    results.push(resultIn(ended));
  }
  const [starved, roomy] = results as [RunResult, RunResult];
  process.stdout.write(`${sideBySide(load, starved, roomy, terminalStyle())}\n`);
  return exitCodes[isReversed(starved, roomy) ? 'clean' : 'rig'].code;
});
