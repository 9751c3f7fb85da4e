import { type Problem, problem } from './problems.js';
import type { ShardInfo } from './shard.js';

/** What a job asks of the machines, for limits, preflight and the deadline. All shards together. */
export interface Demand {
  clients: number;
  publishesPerSecond: number;
  /** What clients send on schedules of their own, and the deliveries of that; left out where the rate is unknown. */
  sends?: { perSecond: number; deliveriesPerSecond: number };
  /** Sockets of clients that are gone which may stay half open beside those that are there, to the end of the run. */
  halfOpen?: number;
  payloadBytes: number;
  /** Planned length of the run from the first connect to the end of the drain. */
  durationMs: number;
  /** Broadcasts in all, warm-up included: the size of the board. */
  broadcasts: number;
  /** Broadcasts after the warm-up that a complete run attempts; left out where the run decides how many. */
  measuredBroadcasts?: number;
}

/** Each takes 25 bytes of every shard, and a bit of every client that is owed it. */
const mostBroadcasts = 2 ** 24;

/** What a job asks beyond a shard's limits; `clients` are the shard's, `where` begins each message. */
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
