import { type TcpCounts, tcpTogether } from '../measure/tcp.js';
import type { ShardPart } from './result.js';

/** What TCP did in the network namespaces of a run's shards together; undefined where none of them tells. */
export function tcpOf(shards: readonly ShardPart[]): TcpCounts | undefined {
  const all = shards.flatMap(({ result }) => result?.rig.shard.tcp ?? []);
  return all.length > 0 ? tcpTogether(all) : undefined;
}
