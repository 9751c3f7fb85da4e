import { commandLine } from '../../run/engines/engine-commands.js';
import type { ShardOptions } from '../../run/plan/shard-options.js';
import { withoutSecrets } from '../../units/addresses.js';

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
