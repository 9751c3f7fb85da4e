import type { Command } from 'commander';
import { type ExitName, exitCodes } from '../contract/exit-codes.js';
import type { Knee, KneeTry } from '../contract/knee.js';
import { type StopCode, stopReasons } from '../contract/stop-reasons.js';
import { findKnees } from '../driver/knee/knee.js';
import { kneeSchema, planKnee } from '../driver/knee/plan.js';
import { renderKnee } from '../report/knee.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { addFlags } from './flags.js';
import { withFleet } from './fleet.js';
import { addFileFlag, gather } from './given.js';
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
    let progress = new Progress('knee');
    const { knee, directory, endedBy } = await withFleet(plan.fleet, [plan.target], (shards) =>
      findKnees(kneePlan, {
        shards,
        childDescriptors: descriptorLimit(),
        interrupt,
        progress: (view) => progress.show(view),
        begins(subscribers, ratePerSecond) {
          progress = new Progress(`knee ${plan.target.name}  ${subscribers} × ${ratePerSecond}/s`);
        },
        tried(subscribers, one) {
          progress.end();
          process.stderr.write(`${subscribers} × ${one.ratePerSecond}/s: ${inWords(one)}\n`);
        },
      }),
    ).finally(() => progress.end());
    const text = plan.fleet.isJson ? JSON.stringify(knee, null, 2) : renderKnee(knee, terminalStyle());
    process.stdout.write(`${text}\n`);
    process.stderr.write(`kept in ${directory}\n`);
    process.exitCode = exitCodes[exitOf(knee, endedBy)].code;
  });
}

function inWords({ vote, signs, doubts }: KneeTry): string {
  const why = vote === 'doubtful' ? doubts : signs.map(({ text }) => text);
  return [vote, ...why].join('; ');
}

function exitOf({ rows, endedBecause }: Knee, endedBy: StopCode | undefined): ExitName {
  if (endedBy !== undefined) return stopReasons[endedBy].exit;
  if (endedBecause !== '') return 'input';
  // What even the lowest rate says nothing of is the rig's affair, too.
  const isRigs = rows.some(
    ({ end, tries }) => end === 'doubtful' || (end === 'lowestFailed' && tries.at(-1)?.vote === 'doubtful'),
  );
  return isRigs ? 'rig' : 'clean';
}
