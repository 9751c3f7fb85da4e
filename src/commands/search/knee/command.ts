import type { Command } from 'commander';
import { z } from 'zod';
import { contextOf } from '../../../cli/context.js';
import { withFleet } from '../../../cli/fleet.js';
import { examplesOf } from '../../../cli/help/examples.js';
import { groupsOf } from '../../../cli/help/groups.js';
import { Keeping } from '../../../cli/keeping.js';
import { addFlags } from '../../../cli/options/flags.js';
import { addFileFlag, gather } from '../../../cli/options/given.js';
import { interruptSignal } from '../../../cli/signals.js';
import { print, printLines } from '../../../cli/terminal/output.js';
import { Progress } from '../../../cli/terminal/progress.js';
import { terminalStyle } from '../../../cli/terminal/style.js';
import { exitCodes } from '../../../contract/exit-codes.js';
import { refuseUnwritable } from '../../../results/store.js';
import { findKnees } from './knee.js';
import { kneeOptions, kneeSchema, planKnee, scenario } from './plan.js';
import { renderKnee } from './print.js';
import type { KneeTry } from './schema.js';

/** `ringside knee`: for each number of subscribers the rate at which the target jams. Exits with 4 where the rig stopped first, or the target delivered nothing at the lowest rate. */
export function define(command: Command): void {
  const load = z.strictObject({ ...kneeOptions.shape, ...scenario.options.shape });
  addFlags(command, kneeSchema, groupsOf(kneeSchema, load));
  addFileFlag(command);
  command.addHelpText('after', examplesOf('knee', scenario));
  command.action(async () => {
    const kneePlan = planKnee(gather(command, kneeSchema));
    const { plan } = kneePlan;
    await refuseUnwritable({ '--results': plan.fleet.resultsDir });
    const interrupt = interruptSignal(exitCodes.interrupted.code);
    const progress = new Progress('knee');
    const kept = new Keeping();
    const { knee, exit } = await withFleet(plan.fleet, [plan.target], (shards) =>
      findKnees(kneePlan, {
        ...contextOf(progress, interrupt, kept),
        shards,
        begins(subscribers, ratePerSecond) {
          progress.begin(`knee ${plan.target.name}  ${subscribers} × ${ratePerSecond}/s`);
        },
        tried(subscribers, one) {
          progress.end();
          process.stderr.write(`${subscribers} × ${one.ratePerSecond}/s: ${inWords(one)}\n`);
        },
        kept(directory) {
          progress.end();
          kept.tell(directory);
        },
      }),
    ).finally(() => progress.end());
    if (plan.fleet.isJson) print(`${JSON.stringify(knee, null, 2)}\n`);
    else printLines(renderKnee(knee, terminalStyle()));
    process.exitCode = kept.exitCode(exit);
  });
}

function inWords({ vote, signs, doubts }: KneeTry): string {
  const why = vote === 'doubtful' ? doubts : signs.map(({ text }) => text);
  return [vote, ...why].join('; ');
}
