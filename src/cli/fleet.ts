import type { FleetOptions } from '../run/plan/run-options.js';
import { refuseAmbiguous } from '../run/shards/shard-addresses.js';
import { ShardClient } from '../run/shards/shard-client.js';
import type { PlannedTarget } from '../run/target/planned-target.js';
import { startLocalShards } from './local-shards.js';

/** Runs `work` with the shards of a plan: those given, or bench-runners started here and ended afterwards. */
export async function withFleet<T>(
  fleet: FleetOptions,
  targets: readonly PlannedTarget[],
  work: (shards: ShardClient[]) => Promise<T>,
): Promise<T> {
  const hosts = targets.flatMap((target) =>
    target.isOurs
      ? []
      : [target.wsUrl, target.publishUrl, ...(target.inProcessUrl ? [target.inProcessUrl] : [])].map((url) =>
          new URL(url).hostname.replace(/^\[|\]$/g, ''),
        ),
  );
  await refuseAmbiguous(fleet.shards, fleet.token);
  const local = fleet.shards.length > 0 ? undefined : await startLocalShards(fleet.localShards, hosts);
  const shards = local
    ? local.shards.map((shard) => new ShardClient(shard.url, fleet.token, shard))
    : fleet.shards.map((url) => new ShardClient(url, fleet.token));
  try {
    return await work(shards);
  } finally {
    await Promise.all(shards.map((shard) => shard.close()));
    await local?.stop();
  }
}
