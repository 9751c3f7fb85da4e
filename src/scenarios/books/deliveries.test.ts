import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { broadcastState, Recorder, StampTable } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Deliveries } from './deliveries.js';

interface Delivery {
  client: number;
  sequence: number;
  receivedAtNs?: number;
}

const clients = 5;
const warmUp = 3;
const broadcasts = 49;
const lastSequence = warmUp + broadcasts - 1;
const startNs = 11e9;
const intendedAtNs = (sequence: number): number => startNs + sequence * 7e6;
/** Every publish leaves two milliseconds after the schedule wanted it. */
const sentAtNs = (sequence: number): number => intendedAtNs(sequence) + 2e6;
const writtenAtNs = (sequence: number): number => sentAtNs(sequence) + 1009;
/** Every publish is answered before the next one leaves, unless a test says otherwise. */
const promptMs = 5;

function batchOf(list: readonly Delivery[], notBeforeNs = 0): DeliveryBatch {
  return {
    count: list.length,
    notBeforeNs: new Float64Array(list.length).fill(notBeforeNs),
    client: Int32Array.from(list, (each) => each.client),
    sequence: Int32Array.from(list, (each) => each.sequence),
    receivedAtNs: Float64Array.from(list, (each) => each.receivedAtNs ?? sentAtNs(each.sequence) + 3_001_000),
    flags: new Uint8Array(list.length),
  };
}

function arrivalsOf({ index, of } = { index: 0, of: 1 }, members = clients, answerMs = promptMs): Deliveries {
  const board = new StampTable(warmUp + broadcasts);
  for (let sequence = index; sequence < board.size; sequence += of) {
    board.intendedAtNs[sequence] = intendedAtNs(sequence);
    board.sentAtNs[sequence] = sentAtNs(sequence);
    board.writtenAtNs[sequence] = writtenAtNs(sequence);
    board.ackAtNs[sequence] = sentAtNs(sequence) + answerMs * 1e6;
    board.state[sequence] = broadcastState.acked;
  }
  const recorder = () => new Recorder();
  const arrivals = new Deliveries({ clientCount: clients, options: { warmUp }, board, slice: { index, of }, recorder });
  for (let client = 0; client < members; client++) arrivals.admit(client);
  return arrivals;
}

/** Deliveries at the one client of the one shard, of broadcasts that are all measured. */
function arrivalsOfOne(board: StampTable): Deliveries {
  const recorder = () => new Recorder();
  const slice = { index: 0, of: 1 };
  const arrivals = new Deliveries({ clientCount: 1, options: { warmUp: 0 }, board, slice, recorder });
  arrivals.admit(0);
  return arrivals;
}

/** What a faultless target delivers of the measured broadcasts, in order: 245 deliveries, five to each. */
const faultless: readonly Delivery[] = Array.from({ length: clients * broadcasts }, (_, n) => ({
  client: n % clients,
  sequence: warmUp + Math.floor(n / clients),
}));

/** Blocks have thousands of counts, and comparing those one by one takes seconds. */
const sameCounts = (one: Uint32Array = new Uint32Array(0), other: Uint32Array = new Uint32Array(0)): boolean =>
  Buffer.from(one.buffer).equals(Buffer.from(other.buffer));

const total = (series: Uint32Array = new Uint32Array(0)): number => series.reduce((sum, each) => sum + each, 0);
const valuesOf = (samples: Samples | undefined): number[] => (samples?.kind === 'raw' ? [...samples.values] : []);
const noFaults = { duplicate: 0, outOfOrder: 0, late: 0, stray: 0, clockFaults: 0 };

describe('the counts of a target of known behaviour', () => {
  it('that is faultless: all arrive, and nothing else is counted', () => {
    const arrivals = arrivalsOf();
    arrivals.take(batchOf(faultless));
    const { counts, series, samples } = arrivals.report();
    expect(counts).toEqual({ ...noFaults, subscribers: 5, received: 245 });
    expect([...(series.delivered ?? [])]).toEqual(Array(broadcasts).fill(5));
    expect(total(series.missing)).toBe(0);
    expect(valuesOf(samples.delivery)).toHaveLength(245);
  });

  it('that drops every 7th', () => {
    const arrivals = arrivalsOf();
    arrivals.take(batchOf(faultless.filter((_, n) => n % 7 !== 6)));
    const { counts, series, samples } = arrivals.report();
    expect(counts).toEqual({ ...noFaults, subscribers: 5, received: 210 });
    expect([total(series.delivered), total(series.missing)]).toEqual([210, 35]);
    // Delivery 6 is the second of the second measured broadcast, delivery 13 the fourth of the third.
    expect([...(series.missing ?? [])].slice(0, 4)).toEqual([0, 1, 1, 0]);
    expect(valuesOf(samples.delivery)).toHaveLength(210);
  });

  it('that duplicates every 5th: no sample of a duplicate', () => {
    const arrivals = arrivalsOf();
    arrivals.take(batchOf(faultless.flatMap((each, n) => (n % 5 === 4 ? [each, each, each] : [each]))));
    const { counts, series, samples } = arrivals.report();
    expect(counts).toEqual({ ...noFaults, duplicate: 98, subscribers: 5, received: 245 });
    expect([total(series.delivered), total(series.missing)]).toEqual([245, 0]);
    for (const name of ['delivery', 'deliveryFromIntended', 'deliveryAtLeast']) {
      expect(valuesOf(samples[name])).toHaveLength(245);
    }
  });

  it('that delivers after the drain: late, and still missing', () => {
    const arrivals = arrivalsOf();
    arrivals.take(batchOf(faultless.slice(0, 200)));
    arrivals.close();
    arrivals.take(batchOf(faultless.slice(197)));
    const { counts, series, samples } = arrivals.report();
    expect(counts).toEqual({ ...noFaults, late: 45, duplicate: 3, subscribers: 5, received: 200 });
    expect([total(series.delivered), total(series.missing)]).toEqual([200, 45]);
    expect(valuesOf(samples.delivery)).toHaveLength(200);
  });

  it('that delivers to nobody’s client, or a broadcast that there is not: strays', () => {
    const arrivals = arrivalsOf(undefined, 3);
    const strays = [
      { client: 3, sequence: warmUp },
      { client: clients, sequence: warmUp },
      { client: 0, sequence: lastSequence + 1 },
      { client: 0, sequence: 999_999_999 },
    ];
    arrivals.take(batchOf([...strays, { client: 2, sequence: lastSequence }]));
    const { counts, series } = arrivals.report();
    expect(counts).toEqual({ ...noFaults, stray: 4, subscribers: 3, received: 1 });
    expect([total(series.delivered), total(series.missing)]).toEqual([1, 3 * broadcasts - 1]);
  });

  it('that had a subscriber which left before the first broadcast: it is owed nothing', () => {
    const arrivals = arrivalsOf();
    arrivals.dismiss(1);
    arrivals.take(batchOf(faultless));
    const { counts, series } = arrivals.report();
    expect(counts).toEqual({ ...noFaults, stray: broadcasts, subscribers: 4, received: 4 * broadcasts });
    expect(total(series.missing)).toBe(0);
  });

  it('of warm-up broadcasts: received, but in no other count', () => {
    const arrivals = arrivalsOf();
    const two = { client: 2, sequence: 2 };
    arrivals.take(batchOf([two, two, { client: 2, sequence: 1 }]));
    arrivals.close();
    arrivals.take(batchOf([{ client: 2, sequence: 0 }]));
    const { counts, series, samples } = arrivals.report();
    expect(counts).toEqual({ ...noFaults, subscribers: 5, received: 2 });
    expect(total(series.delivered)).toBe(0);
    expect(valuesOf(samples.delivery)).toEqual([]);
  });
});

describe('the order of a client’s deliveries', () => {
  /** The faultless deliveries, but client 0 gets 1 before 0, 4 before 3, … 46 before 45: sixteen swaps. */
  const swapped = faultless.map((each) => ({ ...each }));
  for (let n = 0; n + clients < swapped.length; n += 3 * clients) {
    const [first, second] = [swapped[n] as Delivery, swapped[n + clients] as Delivery];
    [first.sequence, second.sequence] = [second.sequence, first.sequence];
  }
  const outOfOrder = (arrivals: Deliveries): number | undefined => {
    arrivals.take(batchOf(swapped));
    const { counts } = arrivals.report();
    expect(counts.received).toBe(245);
    return counts.outOfOrder;
  };

  it('is broken by what comes after a broadcast that left after its answer', () => {
    expect(outOfOrder(arrivalsOf())).toBe(16);
    expect(outOfOrder(arrivalsOf(undefined, clients, 7))).toBe(16);
  });

  it('can’t be broken by publishes that overlap', () => {
    expect(outOfOrder(arrivalsOf(undefined, clients, 8))).toBe(0);
  });

  it('can’t be broken by a publish that is still under way', () => {
    const board = new StampTable(2);
    board.sentAtNs.set([1e9, 2e9]);
    board.state.fill(broadcastState.sent);
    const arrivals = arrivalsOfOne(board);
    arrivals.take(batchOf([1, 0].map((sequence) => ({ client: 0, sequence, receivedAtNs: 3e9 }))));
    expect(arrivals.report().counts.outOfOrder).toBe(0);
  });

  it('is judged among this shard’s own broadcasts', () => {
    // Neighbours always fall to different shards.
    expect(outOfOrder(arrivalsOf({ index: 0, of: 2 }))).toBe(0);
    const arrivals = arrivalsOf({ index: 1, of: 3 });
    arrivals.take(batchOf([7, 4, 5, 10].map((sequence) => ({ client: 1, sequence }))));
    expect(arrivals.report().counts.outOfOrder).toBe(1);
  });
});

it('a client has all once nothing is missing, warm-up included', () => {
  const arrivals = arrivalsOf();
  const everything = Array.from({ length: lastSequence + 1 }, (_, sequence) => ({ client: 2, sequence }));
  arrivals.take(batchOf(everything.filter(({ sequence }) => sequence !== 1)));
  expect(arrivals.hasAll(2)).toBe(false);
  arrivals.take(batchOf([{ client: 2, sequence: 1 }]));
  expect([1, 2, 3].map((client) => arrivals.hasAll(client))).toEqual([false, true, false]);
});

describe('the times of a delivery', () => {
  const took = (receivedAtNs: number, notBeforeNs: number) => {
    const arrivals = arrivalsOf();
    arrivals.take(batchOf([{ client: 1, sequence: 7, receivedAtNs }], notBeforeNs));
    const { counts, samples } = arrivals.report();
    const { delivery, deliveryFromIntended, deliveryAtLeast } = samples;
    return { counts, times: [delivery, deliveryFromIntended, deliveryAtLeast].map((each) => valuesOf(each)) };
  };

  it('are from the send, from the intended instant, and without what the rig may have added at both ends', () => {
    expect(took(sentAtNs(7) + 13_007_000, writtenAtNs(7) + 11_003_000).times).toEqual([[13_007], [15_007], [11_003]]);
  });

  it('may be nothing at least, when the loop polled before the send', () => {
    expect(took(sentAtNs(7) + 17_000, sentAtNs(7) - 1).times).toEqual([[17], [2017], [0]]);
  });

  it('of a frame stamped before its publish are a clock fault, and no samples', () => {
    expect(took(sentAtNs(7) - 1, 0)).toMatchObject({ counts: { clockFaults: 1, received: 1 }, times: [[], [], []] });
    expect(took(sentAtNs(7), 0)).toMatchObject({ counts: { clockFaults: 0 }, times: [[0], [2000], [0]] });
  });

  it('of a broadcast of ours that was never sent are a clock fault', () => {
    const arrivals = arrivalsOfOne(new StampTable(1));
    arrivals.take(batchOf([{ client: 0, sequence: 0 }]));
    expect(arrivals.report().counts).toMatchObject({ clockFaults: 1, received: 1 });
  });

  it('are kept of this shard’s own broadcasts; those of the others are counted only', () => {
    const arrivals = arrivalsOf({ index: 2, of: 3 });
    arrivals.take(batchOf(faultless));
    const { counts, series, samples } = arrivals.report();
    expect(counts).toEqual({ ...noFaults, subscribers: 5, received: 245 });
    expect(total(series.delivered)).toBe(245);
    // Of the sequence numbers 3 to 51 sixteen leave a remainder of two: 5, 8, … 50.
    expect(valuesOf(samples.delivery)).toEqual(Array(16 * clients).fill(3001));
  });
});

describe('what is missing', () => {
  const deliveries = fc.array(
    fc.record({ client: fc.nat({ max: clients }), sequence: fc.nat({ max: lastSequence + 2 }) }),
    { maxLength: 307 },
  );
  const members = fc.integer({ min: 0, max: clients });

  it('and what was delivered are owed together, broadcast by broadcast', () => {
    fc.assert(
      fc.property(deliveries, members, fc.nat({ max: 307 }), (list, count, closedAfter) => {
        const arrivals = arrivalsOf(undefined, count);
        arrivals.take(batchOf(list.slice(0, closedAfter)));
        arrivals.close();
        arrivals.take(batchOf(list.slice(closedAfter)));
        const { delivered = [], missing = [] } = arrivals.report().series;
        const owed = Array.from(delivered, (each, broadcast) => each + (missing[broadcast] as number));
        expect(owed).toEqual(Array(broadcasts).fill(count));
      }),
    );
  });

  it('does not depend on how deliveries are cut into batches', () => {
    fc.assert(
      fc.property(deliveries, fc.integer({ min: 1, max: 17 }), (list, size) => {
        const whole = arrivalsOf();
        whole.take(batchOf(list));
        const cut = arrivalsOf();
        for (let at = 0; at < list.length; at += size) cut.take(batchOf(list.slice(at, at + size)));
        const [of, ofWhole] = [cut.report(), whole.report()];
        for (const name of Object.keys(of.series)) expect(sameCounts(of.series[name], ofWhole.series[name])).toBe(true);
        expect({ ...of, series: {} }).toEqual({ ...ofWhole, series: {} });
      }),
    );
  });
});
