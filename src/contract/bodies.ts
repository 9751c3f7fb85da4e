import { createHash } from 'node:crypto';
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

/** The SHA-256 of a body in hexadecimal, as a shard's result names it. */
export function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** An answer with a part of a body: its status, its headers, and the bytes. */
export interface BodyPart {
  status: 200 | 206 | 416;
  headers: Record<string, string>;
  part: Uint8Array;
}

/** The request header for what is left of a body behind the first bytes. */
export function rangeFrom(bytes: number): string {
  return `bytes=${bytes}-`;
}

/** What a `Range` header asks for (RFC 9110, section 14): the rest behind an offset; any other form gives the whole. */
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

/** The first byte of a part by its `Content-Range`; of no part, the length of the whole. Undefined in other forms. */
export function partFrom(header: unknown): number | undefined {
  const [, first, whole] = /^bytes (?:(\d{1,15})-\d{1,15}|\*)\/(\d{1,15}|\*)$/.exec(String(header)) ?? [];
  const from = first ?? whole;
  return from === undefined ? undefined : Number(from);
}
