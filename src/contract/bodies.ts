import { createHash } from 'node:crypto';
import { type Problem, problem } from './problems.js';
import type { ShardInfo } from './shard.js';

/** Holds what a job demands of the machines, for limits, preflight and the deadline. It counts all shards together. */
export interface Demand {
  clients: number;
  publishesPerSecond: number;
  /** Sends of clients on schedules of their own, and their deliveries. Left out if the rate is unknown. */
  sends?: { perSecond: number; deliveriesPerSecond: number };
  /** Sockets of gone clients that may stay half open besides those of present clients, to the end of the run. */
  halfOpen?: number;
  payloadBytes: number;
  /** Planned length of the run from the first connect to the end of the drain. */
  durationMs: number;
  /** Broadcasts in all, warm-up included. It is the size of the stamp table. */
  broadcasts: number;
  /** Broadcasts after the warm-up that a complete run attempts. Left out if the run decides their number. */
  measuredBroadcasts?: number;
}

/** Each broadcast takes 25 bytes of every shard, and a bit of every client that should receive it. */
const mostBroadcasts = 2 ** 24;

/** Describes the demands of a job beyond a shard's limits. `clients` are the shard's. `where` begins each message. */
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

export function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

interface BodyPart {
  status: 200 | 206 | 416;
  headers: Record<string, string>;
  part: Uint8Array;
}

export function rangeFrom(bytes: number): string {
  return `bytes=${bytes}-`;
}

/** Answers a `Range` header (RFC 9110, section 14) with the rest after an offset. Any other form gives the whole. */
export function partOfBody(body: Uint8Array, range: string | undefined): BodyPart {
  const from = Number(/^bytes=(\d{1,15})-$/.exec(range ?? '')?.[1] ?? Number.NaN);
  const headers = { 'accept-ranges': 'bytes' };
  if (Number.isNaN(from)) return { status: 200, headers, part: body };
  if (from >= body.length) {
    return {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${body.length}` },
      part: body.subarray(0, 0),
    };
  }
  const contentRange = `bytes ${from}-${body.length - 1}/${body.length}`;
  return { status: 206, headers: { ...headers, 'content-range': contentRange }, part: body.subarray(from) };
}

/** Returns the first byte of a part by its `Content-Range`, or the length of the whole without a part. */
export function partFrom(header: unknown): number | undefined {
  const [, first, whole] = /^bytes (?:(\d{1,15})-\d{1,15}|\*)\/(\d{1,15}|\*)$/.exec(String(header)) ?? [];
  const from = first ?? whole;
  return from === undefined ? undefined : Number(from);
}
