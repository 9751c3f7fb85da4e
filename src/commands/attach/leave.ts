import type { ExitName } from '../../contract/exit-codes.js';
import { type StopCode, stopReasons } from '../../contract/stop-reasons.js';
import type { Plan } from '../../run/plan/plan.js';
import { runAndLeave } from '../../run/run.js';
import { jsonText } from '../../units/json-text.js';
import { withoutSecrets } from '../../units/urls.js';
import type { Session } from '../command.js';

/** The command that goes on with a run or fetches its result. */
function attachCommand(runId: string, urls: readonly string[]): string {
  return ['ringside attach', runId, ...urls.map((url) => `--shard ${withoutSecrets(url)}`)].join(' ');
}

/** What a driver prints early, for the case that it does not live to the end. */
export function begunInWords(runId: string, urls: readonly string[]): string {
  return `run ${runId}; if this driver ends early: ${attachCommand(runId, urls)}`;
}

/** Makes the run of a plan and leaves its result on the shards. */
export async function leaveRun(session: Session, plan: Plan, runId: string | undefined): Promise<ExitName> {
  const { scenario, target, fleet } = plan;
  const making = session.begin(`${scenario.name} ${target.name}`);
  let attach = '';
  const begun = (id: string, urls: readonly string[]): void => {
    attach = attachCommand(id, urls);
    making.context.note(begunInWords(id, urls));
  };
  const { runId: run, seen } = await session
    .withShards(fleet, [target], (shards) => runAndLeave(plan, { ...making.context, runId, begun, shards }))
    .finally(making.end);
  if (fleet.isJson) session.print(jsonText({ run, attach }));
  else session.print(`run ${run} is over and stays on its shards: ${attach}\n`);
  return seen.end ? exitOfStop(seen.end.code) : 'clean';
}

function exitOfStop(code: string): ExitName {
  return code in stopReasons ? stopReasons[code as StopCode].exit : 'rig';
}
