import type { Demand } from './catalog.js';
import { type Problem, problem } from './problems.js';
import type { ShardInfo } from './shard.js';

/** Each takes 25 bytes of every shard, and a bit of every client that is owed it. */
const mostBroadcasts = 2 ** 24;

/** What a job asks beyond what a shard takes, of which so many `clients` fall to that shard; `where` begins each message. */
export function overLimits(
  demand: Demand,
  clients: number,
  limits: Pick<ShardInfo['limits'], 'clients' | 'publishesPerSecond' | 'payloadBytes' | 'durationMs'>,
  where = '',
): Problem[] {
  const sends = demand.publishesPerSecond + (demand.sends?.perSecond ?? 0);
  const asked: [string, number, number][] = [
    ['clients on this shard', clients, limits.clients],
    ['publishes and sends per second', sends, limits.publishesPerSecond],
    ['payload bytes', demand.payloadBytes, limits.payloadBytes],
    ['milliseconds planned', demand.durationMs, limits.durationMs],
    ['broadcasts of one run', demand.broadcasts, mostBroadcasts],
  ];
  return asked
    .filter(([, value, limit]) => value > limit)
    .map(([what, value, limit]) =>
      problem('overLimit', `${where}${what}: expected at most ${limit}, received ${Math.ceil(value)}`),
    );
}
