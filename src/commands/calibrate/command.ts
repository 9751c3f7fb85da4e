import type { Command } from 'commander';
import { contextOf } from '../../cli/context.js';
import { withFleet } from '../../cli/fleet.js';
import { Keeping } from '../../cli/keeping.js';
import { addFlags } from '../../cli/options/flags.js';
import { addFileFlag, gather } from '../../cli/options/given.js';
import { interruptSignal } from '../../cli/signals.js';
import { Progress } from '../../cli/terminal/progress.js';
import { terminalStyle } from '../../cli/terminal/style.js';
import { exitCodes } from '../../contract/exit-codes.js';
import { resolveOrRefuse } from '../../contract/refusal.js';
import { refuseUnwritable } from '../../results/store.js';
import { trustPlace } from '../../run/judge/trust.js';
import { fleetOptions } from '../../run/plan/run-options.js';
import { calibrate } from './calibrate.js';
import { calibrateOptions } from './calibrate-options.js';
import { gridOf } from './calibration-grid.js';
import { renderCalibration } from './print.js';

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
