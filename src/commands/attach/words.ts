import { commandLine } from '../../run/engines/engine-commands.js';
import type { ShardOptions } from '../../run/plan/shard-options.js';
import { withoutSecrets } from '../../units/urls.js';

/** The command that goes on with a run or fetches its result, with the shards as the user gave them. */
export function attachCommand(runId: string, { shards, shardsFrom, shardCert, shardKey }: ShardOptions): string {
  const given: readonly (readonly [flag: string, value: string | undefined])[] = [
    ...shards.map((url) => ['--shard', withoutSecrets(url)] as const),
    ...[
      ['--shards-from', shardsFrom] as const,
      ['--shard-cert', shardCert] as const,
      ['--shard-key', shardKey] as const,
    ],
  ];
  const flags = given.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  return commandLine({ program: 'ringside', args: ['attach', runId, ...flags] });
}

/** What a driver prints early, for the case that it does not live to the end. */
export function begunInWords(runId: string, fleet: ShardOptions): string {
  return `run ${runId}; if this driver ends early: ${attachCommand(runId, fleet)}`;
}
