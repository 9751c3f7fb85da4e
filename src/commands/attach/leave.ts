import type { ExitName } from '../../contract/exit-codes.js';
import { type StopCode, stopReasons } from '../../contract/stop-reasons.js';
import { commandLine } from '../../run/engines/engine-commands.js';
import type { Plan } from '../../run/plan/plan.js';
import type { ShardOptions } from '../../run/plan/run-options.js';
import { runAndLeave } from '../../run/run.js';
import { withoutSecrets } from '../../units/addresses.js';
import { jsonText } from '../../units/text.js';
import type { CommandSession } from '../command.js';

export async function leaveRun(session: CommandSession, plan: Plan, runId: string | undefined): Promise<ExitName> {
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

/** Returns the command that continues a run or fetches its result, with the shards as the user gave them. */
export function attachCommand(runId: string, { shards, shardsFrom, shardCert, shardKey }: ShardOptions): string {
  const given = { '--shards-from': shardsFrom, '--shard-cert': shardCert, '--shard-key': shardKey };
  const flags = [
    ...shards.flatMap((url) => ['--shard', withoutSecrets(url)]),
    ...Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
  ];
  return commandLine('ringside', ['attach', runId, ...flags]);
}

/** Returns the line that a driver prints early, so that its run is found if the driver ends before the run. */
export function begunInWords(runId: string, fleet: ShardOptions): string {
  return `run ${runId}; if this driver ends early: ${attachCommand(runId, fleet)}`;
}
