import type { Command } from 'commander';
import { exitCodes } from '../contract/exit-codes.js';
import type { KneeTry } from '../contract/knee.js';
import { findKnees } from '../driver/knee/knee.js';
import { kneeSchema, planKnee } from '../driver/knee/plan.js';
import { renderKnee } from '../report/knee.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { addFlags } from './flags.js';
import { withFleet } from './fleet.js';
import { addFileFlag, gather } from './given.js';
import { print, printLines } from './output.js';
import { Progress } from './progress.js';
import { interruptSignal } from './signals.js';
import { terminalStyle } from './style.js';

/** `ringside knee`: for each number of subscribers the rate at which the target jams. Exits with 4 where the rig stopped first. */
export function define(command: Command): void {
  addFileFlag(command);
  addFlags(command, kneeSchema);
  command.action(async () => {
    const kneePlan = planKnee(gather(command, kneeSchema));
    const { plan } = kneePlan;
    const interrupt = interruptSignal(exitCodes.interrupted.code);
    const progress = new Progress('knee');
    const { knee, exit } = await withFleet(plan.fleet, [plan.target], (shards) =>
      findKnees(kneePlan, {
        shards,
        childDescriptors: descriptorLimit(),
        interrupt,
        progress: (view) => progress.show(view),
        begins(subscribers, ratePerSecond) {
          progress.begin(`knee ${plan.target.name}  ${subscribers} × ${ratePerSecond}/s`);
        },
        tried(subscribers, one) {
          progress.end();
          process.stderr.write(`${subscribers} × ${one.ratePerSecond}/s: ${inWords(one)}\n`);
        },
        kept(directory) {
          progress.end();
          process.stderr.write(`kept in ${directory}\n`);
        },
      }),
    ).finally(() => progress.end());
    if (plan.fleet.isJson) print(`${JSON.stringify(knee, null, 2)}\n`);
    else printLines(renderKnee(knee, terminalStyle()));
    process.exitCode = exitCodes[exit].code;
  });
}

function inWords({ vote, signs, doubts }: KneeTry): string {
  const why = vote === 'doubtful' ? doubts : signs.map(({ text }) => text);
  return [vote, ...why].join('; ');
}
