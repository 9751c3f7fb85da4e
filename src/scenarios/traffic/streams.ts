import { z } from 'zod';
import type { Verb } from '../../protocols/protocol.js';
import { countText } from '../../units/text.js';
import { optionalCount } from '../options.js';
import { commonDivisor, draw } from './schedule.js';

/** Options of a scenario whose clients subscribe to several streams. */
export const streamOptions = {
  streams: optionalCount('streams', [1, 1_000_000], 'streams of the run; a broadcast goes to one; default: 1'),
  streamsPerClient: optionalCount('streams-per-client', [1, 1000], 'streams that each client has; default: 1'),
};

/** Declares the flag for how broadcasts are spread over streams. */
export const streamDistribution = z
  .enum(['even', 'zipf'])
  .optional()
  .meta({ flag: 'stream-distribution', help: 'broadcasts go to streams in turn, or by Zipf’s law; default: even' });

/** Describes the streams of a run. Broadcasts go to them in turn if there is no distribution. */
export interface StreamPlan {
  streams: number;
  streamsPerClient: number;
  streamDistribution?: 'even' | 'zipf' | undefined;
}

/** Options of streams. A run without them has one stream. */
type GivenStreams = { [K in keyof StreamPlan]?: StreamPlan[K] | undefined };

/** Returns the verbs that subscribers of these streams need. */
export function streamVerbs({ streams = 1 }: GivenStreams = {}): Verb[] {
  return streams > 1 ? ['subscribe', 'streams'] : ['subscribe'];
}

/** Returns why these streams are refused, in words. */
export function streamsRefused(options: GivenStreams & { clients: number }): string[] {
  const { streams = 1, streamsPerClient = 1, clients } = options;
  const most = (flag: string, limit: number, because: string, received: number): string[] =>
    received <= limit ? [] : [`${flag}: expected at most ${countText(limit)}, ${because}, received ${received}`];
  return [
    ...(streams === 1 ? [] : most('--streams', clients, 'as each stream has a client', streams)),
    ...most('--streams-per-client', streams, 'which is --streams', streamsPerClient),
  ];
}

/** Returns a note on the streams of a run, if there are several. */
export function streamNotes({ streams = 1, streamsPerClient = 1, streamDistribution }: GivenStreams): string[] {
  if (streams === 1) return [];
  const how = streamDistribution === 'zipf' ? 'by Zipf’s law' : 'in turn';
  return [`${countText(streams)} streams, ${streamsPerClient} of them for each client; broadcasts go to them ${how}`];
}

/** Name of a live figure of a publisher, set if a broadcast is not for all clients. */
export const manyStreams = 'streams:many';

/** Describes the clients of a worker, and all broadcasts of the run. */
export interface StreamScope {
  seed: number;
  stream: string;
  firstClient: number;
  clientCount: number;
  broadcasts: number;
}

/**
 * Knows which streams each client of a worker has, and to which stream each broadcast goes. Both depend on the seed and
 * the number in the run, so every split of a run has the same. No stream is without a client.
 */
export class StreamTable {
  readonly #each: number;
  readonly #ofClient: Int32Array;
  readonly #ofBroadcast: Int32Array;
  readonly #nameOf: (stream: number) => string;

  constructor(plan: StreamPlan, { seed, stream, firstClient, clientCount, broadcasts }: StreamScope) {
    const { streams, streamsPerClient } = plan;
    // Names of one length: none is the beginning of another, and each can be found in a confirmation.
    const digits = `${streams - 1}`.length;
    this.#nameOf = (number) => `${stream}-${`${number}`.padStart(digits, '0')}`;
    this.#each = streamsPerClient;
    this.#ofClient = new Int32Array(clientCount * streamsPerClient);
    for (let client = 0; client < clientCount; client++)
      this.#ofClient.set(streamsOfClient(plan, seed, firstClient + client), client * streamsPerClient);
    const pick = plan.streamDistribution === 'zipf' ? zipf(streams, seed) : (sequence: number) => sequence % streams;
    this.#ofBroadcast = Int32Array.from({ length: broadcasts }, (_, sequence) => pick(sequence));
  }

  /** Returns true if the client of this worker has the stream of the broadcast. Hot path: allocates nothing. */
  has(client: number, sequence: number): boolean {
    const stream = this.#ofBroadcast[sequence];
    const end = (client + 1) * this.#each;
    for (let at = end - this.#each; at < end; at++) if (this.#ofClient[at] === stream) return true;
    return false;
  }

  namesOf(client: number): string[] {
    return Array.from(this.#ofClient.subarray(client * this.#each, (client + 1) * this.#each), this.#nameOf);
  }

  nameFor(sequence: number): string {
    return this.#nameOf(this.#ofBroadcast[sequence] as number);
  }
}

/** Returns the streams of a client of the run: one is dealt to it, the others are drawn. */
function streamsOfClient({ streams, streamsPerClient }: StreamPlan, seed: number, client: number): number[] {
  const dealt = streamDealtTo(client, streams, seed);
  const drawn = new Set<number>();
  // R. Floyd's sample of distinct numbers (Communications of the ACM 30, 1987), here of all streams but the dealt one.
  for (let last = streams - streamsPerClient; last < streams - 1; last++) {
    const one = Math.floor(draw(seed, 'stream', client, last) * (last + 1));
    drawn.add(drawn.has(one) ? last : one);
  }
  return [dealt, ...Array.from(drawn, (one) => (one < dealt ? one : one + 1))];
}

/** Deals every stream once to as many clients as there are streams, in an order of their own. */
function streamDealtTo(client: number, streams: number, seed: number): number {
  const round = Math.floor(client / streams);
  let step = 1 + Math.floor(draw(seed, 'dealtStream', round, 0) * (streams - 1));
  while (commonDivisor(step, streams) > 1) step++;
  const first = Math.floor(draw(seed, 'dealtStream', round, 1) * streams);
  return (first + (client % streams) * step) % streams;
}

/** Returns a draw for each broadcast in which stream n, from 0, has a share in proportion to 1 / (n + 1). */
function zipf(streams: number, seed: number): (sequence: number) => number {
  const below = new Float64Array(streams);
  let sum = 0;
  for (let stream = 0; stream < streams; stream++) {
    sum += 1 / (stream + 1);
    below[stream] = sum;
  }
  return (sequence) => {
    const drawn = draw(seed, 'broadcastStream', sequence, 0) * sum;
    let [low, high] = [0, streams - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((below[middle] as number) > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
