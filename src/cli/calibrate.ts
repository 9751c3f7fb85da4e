import type { Command } from 'commander';
import { exitCodes } from '../contract/exit-codes.js';
import { ProblemError, problem } from '../contract/problems.js';
import { calibrate } from '../driver/calibrate/calibrate.js';
import { calibrateOptions } from '../driver/calibrate/calibrate-options.js';
import { gridOf } from '../driver/calibrate/calibration-grid.js';
import { fleetOptions } from '../driver/run-options.js';
import { resolveOptions } from '../options/resolve.js';
import { renderCalibration } from '../report/calibration.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { addFlags } from './flags.js';
import { withFleet } from './fleet.js';
import { addFileFlag, gather } from './given.js';
import { Progress } from './progress.js';
import { interruptSignal } from './signals.js';
import { terminalStyle } from './style.js';

/** `ringside calibrate`: the rig of this machine against known truth. Exits with 4 where a count is wrong or nothing is to be trusted. */
export function define(command: Command): void {
  addFileFlag(command);
  addFlags(command, calibrateOptions);
  command.action(async () => {
    const resolved = resolveOptions(calibrateOptions, gather(command, calibrateOptions));
    if (!resolved.ok) {
      throw new ProblemError(
        resolved.issues.map(({ option, expected, received }) =>
          problem('badOption', `${option}: expected ${expected}, received ${received}`),
        ),
      );
    }
    const options = resolved.values;
    const grid = gridOf(options);
    const interrupt = interruptSignal(exitCodes.interrupted.code);
    const progress = new Progress('calibrate');
    const fleet = { ...fleetOptions.parse({}), localShards: options.localShards };
    const { found, directory, trustFile } = await withFleet(fleet, [], (shards) =>
      calibrate(grid, options, {
        shards,
        childDescriptors: descriptorLimit(),
        interrupt,
        progress: (view) => progress.show(view),
        begins: ({ load }, number, of) => {
          progress.begin(`${number}/${of} ${load.client} ${load.subscribers} × ${load.ratePerSecond}/s`);
        },
        finished: () => progress.end(),
      }),
    ).finally(() => progress.end());
    const text = options.isJson ? JSON.stringify(found, null, 2) : renderCalibration(found, terminalStyle());
    process.stdout.write(`${text}\n`);
    process.stderr.write(`what this machine may be trusted with: ${trustFile}\nkept in ${directory}\n`);
    const isRight =
      found.points.every((point) => point.areCountsExact) && found.points.some((point) => point.isTrusted);
    process.exitCode = exitCodes[interrupt.aborted ? 'interrupted' : isRight ? 'clean' : 'rig'].code;
  });
}
