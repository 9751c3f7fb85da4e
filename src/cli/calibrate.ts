import type { Command } from 'commander';
import { exitCodes } from '../contract/exit-codes.js';
import { resolveOrRefuse } from '../contract/refusal.js';
import { calibrate } from '../driver/calibrate/calibrate.js';
import { calibrateOptions } from '../driver/calibrate/calibrate-options.js';
import { gridOf } from '../driver/calibrate/calibration-grid.js';
import { refuseUnwritable } from '../driver/keep.js';
import { fleetOptions } from '../driver/run-options.js';
import { trustPlace } from '../driver/trust.js';
import { renderCalibration } from '../report/calibration.js';
import { contextOf } from './context.js';
import { addFlags } from './flags.js';
import { withFleet } from './fleet.js';
import { addFileFlag, gather } from './given.js';
import { Keeping } from './keeping.js';
import { Progress } from './progress.js';
import { interruptSignal } from './signals.js';
import { terminalStyle } from './style.js';

/** `ringside calibrate`: the rig of this machine against known truth. Exits with 4 where a count is wrong or nothing is to be trusted. */
export function define(command: Command): void {
  addFileFlag(command);
  addFlags(command, calibrateOptions);
  command.action(async () => {
    const options = resolveOrRefuse(calibrateOptions, gather(command, calibrateOptions));
    const grid = gridOf(options);
    const interrupt = interruptSignal(exitCodes.interrupted.code);
    const progress = new Progress('calibrate');
    const kept = new Keeping();
    const { localShards, resultsDir, trustDir } = options;
    const fleet = { ...fleetOptions.parse({}), localShards, resultsDir };
    await refuseUnwritable({ '--results': resultsDir, '--trust': trustPlace(trustDir) });
    const { found, directory, trustFile } = await withFleet(fleet, [], (shards) =>
      calibrate(grid, options, {
        ...contextOf(progress, interrupt, kept),
        shards,
        begins: ({ load }, number, of) => {
          progress.begin(`${number}/${of} ${load.client} ${load.subscribers} × ${load.ratePerSecond}/s`);
        },
      }),
    ).finally(() => progress.end());
    const text = options.isJson ? JSON.stringify(found, null, 2) : renderCalibration(found, terminalStyle());
    process.stdout.write(`${text}\n`);
    if (kept.isWhole) process.stderr.write(`what this machine may be trusted with: ${trustFile}\n`);
    kept.tell(directory);
    const isRight =
      found.points.every((point) => point.areCountsExact) && found.points.some((point) => point.isTrusted);
    process.exitCode = kept.exitCode(interrupt.aborted ? 'interrupted' : isRight ? 'clean' : 'rig');
  });
}
