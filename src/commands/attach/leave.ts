import type { ExitName } from '../../contract/exit-codes.js';
import { type StopCode, stopReasons } from '../../contract/stop-reasons.js';
import type { Plan } from '../../run/plan/plan.js';
import { runAndLeave } from '../../run/run.js';
import { jsonText } from '../../units/json-text.js';
import type { Session } from '../command.js';
import { attachCommand } from './words.js';

/** Makes the run of a plan and leaves its result on the shards. */
export async function leaveRun(session: Session, plan: Plan, runId: string | undefined): Promise<ExitName> {
  const { scenario, target, fleet } = plan;
  const making = session.begin(`${scenario.name} ${target.name}`);
  const { runId: run, seen } = await session
    .withShards(fleet, [target], (shards) => runAndLeave(plan, { ...making.context, runId, shards }))
    .finally(making.end);
  const attach = attachCommand(run, fleet);
  if (fleet.isJson) session.print(jsonText({ run, attach }));
  else session.print(`run ${run} is over and stays on its shards: ${attach}\n`);
  return seen.end ? exitOfStop(seen.end.code) : 'clean';
}

function exitOfStop(code: string): ExitName {
  return code in stopReasons ? stopReasons[code as StopCode].exit : 'rig';
}
