import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { audienceOnStage } from '../../../test/stage/latency.js';
import { broadcastState, Recorder, StampTable } from '../../measure/samples/recorder.js';
import { shareOf, shareStart } from '../../measure/share.js';
import { protocols } from '../../protocols/list.js';
import { Deliveries } from '../books/deliveries.js';
import { verbProblems } from '../job.js';
import { latency, latencyOptions } from '../latency.js';
import { throughput } from '../throughput/index.js';
import { throughputOptions } from '../throughput/roles.js';
import { type StreamPlan, StreamTable, streamsRefused } from './streams.js';

const run = { seed: 7919, stream: 'ring', broadcasts: 97 };
const whole = (plan: StreamPlan, clients: number, more: Partial<typeof run> = {}) =>
  new StreamTable(plan, { ...run, ...more, firstClient: 0, clientCount: clients });

const plans = fc
  .record({ clients: fc.integer({ min: 2, max: 83 }), streams: fc.nat(), each: fc.nat(), seed: fc.nat() })
  .map(({ clients, streams: anyStreams, each, seed }) => {
    const streams = 2 + (anyStreams % (clients - 1));
    return { clients, seed, plan: { streams, streamsPerClient: 1 + (each % streams) } };
  });
const distributions = fc.constantFrom('even' as const, 'zipf' as const);

/** Broadcasts owed, by sequence, to the clients of a worker. */
function owedOf(streams: StreamTable, clientCount: number): Uint32Array {
  const board = new StampTable(run.broadcasts);
  board.state.fill(broadcastState.acked);
  const recorder = () => new Recorder();
  const context = { clientCount, options: { warmUp: 0 }, board, slice: { index: 0, of: 1 }, recorder, streams };
  const book = new Deliveries(context);
  for (let client = 0; client < clientCount; client++) book.admit(client);
  return book.owed(0);
}

describe('the streams of a run', () => {
  it('are alike for every split: each client has its streams, and each broadcast is owed as often', () =>
    law.with({ numRuns: 50 }, plans, distributions, ({ clients, seed, plan }, streamDistribution) => {
      const all = { ...plan, streamDistribution };
      const one = whole(all, clients, { seed });
      const names = Array.from({ length: clients }, (_, client) => one.namesOf(client));
      const owed = owedOf(one, clients);
      for (const of of [2, 7, 13]) {
        const parts = Array.from({ length: of }, (_, index) => ({
          firstClient: shareStart(clients, index, of),
          clientCount: shareOf(clients, index, of),
        }));
        const split = parts.map((part) => new StreamTable(all, { ...run, seed, ...part }));
        expect(
          split.flatMap((streams, n) =>
            Array.from({ length: parts[n]!.clientCount }, (_, client) => streams.namesOf(client)),
          ),
        ).toEqual(names);
        const counts = split.map((streams, n) => owedOf(streams, parts[n]!.clientCount));
        expect(Array.from(owed, (_, at) => counts.reduce((sum, each) => sum + each[at]!, 0))).toEqual([...owed]);
        expect(split.map((streams) => streams.nameFor(53))).toEqual(split.map(() => one.nameFor(53)));
      }
    }));

  it('each have a client, and no client has one twice', () =>
    law(plans, ({ clients, seed, plan }) => {
      const streams = whole(plan, clients, { seed });
      const names = Array.from({ length: clients }, (_, client) => streams.namesOf(client));
      for (const each of names) expect(new Set(each).size).toBe(plan.streamsPerClient);
      expect(new Set(names.flat()).size).toBe(plan.streams);
    }));

  it('are as large as each other where each client has one, and one for each client where there are as many', () => {
    const sizes = new Map<string, number>();
    const seven = whole({ streams: 7, streamsPerClient: 1 }, 23);
    for (let client = 0; client < 23; client++)
      for (const name of seven.namesOf(client)) sizes.set(name, (sizes.get(name) ?? 0) + 1);
    expect([...sizes.values()].sort()).toEqual([3, 3, 3, 3, 3, 4, 4]);
    const own = whole({ streams: 23, streamsPerClient: 1 }, 23);
    expect(new Set(Array.from({ length: 23 }, (_, client) => own.namesOf(client)[0])).size).toBe(23);
  });

  it('have names of one length, so that none is found in another', () => {
    const streams = whole({ streams: 11, streamsPerClient: 11 }, 11);
    expect(streams.namesOf(0).sort()).toEqual(
      ['00', '01', '02', '03', '04', '05', '06', '07', '08', '09', '10'].map((number) => `ring-${number}`),
    );
  });

  it('depend on the seed', () => {
    const names = (seed: number) => whole({ streams: 13, streamsPerClient: 3 }, 29, { seed }).namesOf(28);
    expect(names(7)).not.toEqual(names(11));
  });
});

describe('the broadcasts of a run', () => {
  const shares = (streamDistribution: 'even' | 'zipf', broadcasts: number): number[] => {
    const streams = whole({ streams: 5, streamsPerClient: 5, streamDistribution }, 5, { broadcasts });
    const counts = new Map<string, number>();
    for (let sequence = 0; sequence < broadcasts; sequence++)
      counts.set(streams.nameFor(sequence), (counts.get(streams.nameFor(sequence)) ?? 0) + 1);
    return [0, 1, 2, 3, 4].map((stream) => counts.get(`ring-${stream}`) ?? 0);
  };

  it('go to all streams in turn', () => expect(shares('even', 37)).toEqual([8, 8, 7, 7, 7]));

  it('go to stream n by 1 / n', () => {
    const drawn = 13_700;
    // 1 + 1/2 + 1/3 + 1/4 + 1/5 is 137/60.
    const planned = [1, 2, 3, 4, 5].map((n) => (drawn * 60) / 137 / n);
    for (const [n, each] of shares('zipf', drawn).entries())
      expect(Math.abs(each - planned[n]!)).toBeLessThan(4 * Math.sqrt(planned[n]!));
  });
});

describe('a client with several streams', () => {
  const streams = whole({ streams: 3, streamsPerClient: 2 }, 7);

  it('is there once the last of them is confirmed', async () => {
    const { stage, audience, asked } = audienceOnStage({ streams });
    await stage('ramp');
    expect(asked).toEqual(
      Array.from({ length: 7 }, (_, client) => streams.namesOf(client).map((name) => [client, name])).flat(),
    );
    expect(audience.progress()).toMatchObject({ subscribers: 7, failed: 0 });
    expect(audience.report().samples.subscribe).toMatchObject({ values: { length: 7 } });
  });

  it('is owed each broadcast of its streams once, and a broadcast of another is a fault', () => {
    const board = new StampTable(12);
    board.state.fill(broadcastState.acked);
    const recorder = () => new Recorder();
    const context = { clientCount: 7, options: { warmUp: 3 }, board, slice: { index: 0, of: 1 }, recorder, streams };
    const book = new Deliveries(context, { isTimed: () => false });
    for (let client = 0; client < 7; client++) book.admit(client);
    const all = Array.from({ length: 7 * 12 }, (_, n) => ({ client: n % 7, sequence: Math.floor(n / 7) }));
    const zeros = new Float64Array(all.length);
    book.take({
      count: all.length,
      client: Int32Array.from(all, ({ client }) => client),
      sequence: Int32Array.from(all, ({ sequence }) => sequence),
      ...{ receivedAtNs: zeros, notBeforeNs: zeros, flags: new Uint8Array(all.length) },
    });
    const { counts, series } = book.report();
    const total = (name: string): number => series[name]!.reduce((sum, each) => sum + each, 0);
    // Three of twelve broadcasts go to each stream, one of them in the warm-up; each client has two of three streams.
    expect([total('owed'), total('delivered'), total('missing')]).toEqual([7 * 2 * 3, 7 * 2 * 3, 0]);
    expect(counts).toMatchObject({ wrongStream: 7 * 3, duplicate: 0, subscribers: 7 });
    expect(book.haveAll(() => true)).toBe(true);
  });
});

describe('streams that cannot be', () => {
  it.each([
    [
      { streams: 8, streamsPerClient: 1, clients: 7 },
      ['--streams: expected at most 7, as each stream has a client, received 8'],
    ],
    [
      { streams: 2, streamsPerClient: 3, clients: 7 },
      ['--streams-per-client: expected at most 2, which is --streams, received 3'],
    ],
    [{ streams: 1, streamsPerClient: 1, clients: 0 }, []],
  ])('%o', (options, refused) => expect(streamsRefused(options)).toEqual(refused));

  it('are several with batches, each of which goes to one', () => {
    const options = throughputOptions.parse({ publish: 'in-process', streams: 3 });
    expect(throughput.contradictions?.(options)).toEqual([
      '--streams: expected 1 with --publish in-process, as a batch goes to one stream, received 3',
    ]);
  });

  it('are several where the protocol has one', () => {
    const lacking = protocols.filter(
      (protocol) => verbProblems(latency, protocol, { options: latencyOptions.parse({ streams: 3 }) }).length > 0,
    );
    expect(lacking.map(({ name }) => name)).toEqual(['shootout', 'shootout-cable', 'messages', 'raw']);
    expect(verbProblems(latency, protocols[0]!, { options: latencyOptions.parse({}) })).toEqual([]);
  });
});
