import type { ExitName } from '../../contract/exit-codes.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { type StopCode, stopReasons } from '../../contract/stop-reasons.js';
import type { Plan } from '../../run/plan/plan.js';
import type { FleetOptions } from '../../run/plan/run-options.js';
import { runAndLeave } from '../../run/run.js';
import { jsonText } from '../../units/json-text.js';
import { withoutSecrets } from '../../units/urls.js';
import type { Session } from '../command.js';

/** The command that goes on with a run or fetches its result. */
function attachCommand(runId: string, { shards }: Pick<FleetOptions, 'shards'>): string {
  return ['ringside attach', runId, ...shards.map((url) => `--shard ${withoutSecrets(url)}`)].join(' ');
}

/** What a driver prints early, for the case that it does not live to the end. */
export function takenOverBy(runId: string, fleet: Pick<FleetOptions, 'shards'>): string {
  return `run ${runId}; if this driver ends early: ${attachCommand(runId, fleet)}`;
}

/** Makes the run of a plan and leaves its result on the shards. `isOne`: nothing else was asked of it. */
export async function leaveRun(session: Session, plan: Plan, isOne: boolean): Promise<ExitName> {
  const { scenario, target, fleet } = plan;
  const wrong = [
    ...(isOne ? [] : ['--leave: expected one run without --repeat, --prove and --watch']),
    ...(fleet.shards.length > 0 ? [] : ['--leave: expected --shard, as bench-runners that start here end here']),
  ];
  if (wrong.length > 0) throw new ProblemError(wrong.map((text) => problem('badOption', text)));
  const making = session.begin(`${scenario.name} ${target.name}`);
  const context = { ...making.context, begun: (runId: string) => making.context.note(takenOverBy(runId, fleet)) };
  const { runId, seen } = await session
    .withShards(fleet, [target], (shards) => runAndLeave(plan, { ...context, shards }))
    .finally(making.end);
  const attach = attachCommand(runId, fleet);
  if (fleet.isJson) session.print(jsonText({ run: runId, attach }));
  else session.print(`run ${runId} is over and stays on its shards: ${attach}\n`);
  return seen.end ? exitOfStop(seen.end.code) : 'clean';
}

function exitOfStop(code: string): ExitName {
  return code in stopReasons ? stopReasons[code as StopCode].exit : 'rig';
}
