import type { Demand } from '../../contract/limits.js';
import { share } from '../../measure/share.js';
import type { ShardFacts } from '../../measure/verdict/facts.js';

/** What a shard has of the clients and of the measured broadcasts, which are dealt in turn with those of the warm-up before them. */
export function dealtTo(
  { index, of }: { index: number; of: number },
  { clients, broadcasts, measuredBroadcasts: measured }: Demand,
): ShardFacts['dealt'] {
  return {
    clients: share(clients, index, of),
    broadcasts: measured === undefined ? null : share(broadcasts, index, of) - share(broadcasts - measured, index, of),
  };
}
