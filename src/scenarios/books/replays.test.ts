import { expect, it } from 'vitest';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { atLeastUs, broadcastState, Recorder, StampTable } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Timeline } from '../roster/roster.js';
import { Deliveries } from './deliveries.js';

const [clients, warmUp, size] = [3, 1, 6];
const sentAtNs = (sequence: number): number => (sequence + 1) * 1e9;

function batchOf(list: readonly [client: number, sequence: number, afterMs: number][]): DeliveryBatch {
  return {
    count: list.length,
    notBeforeNs: new Float64Array(list.length),
    client: Int32Array.from(list, ([client]) => client),
    sequence: Int32Array.from(list, ([, sequence]) => sequence),
    receivedAtNs: Float64Array.from(list, ([, sequence, afterMs]) => sentAtNs(sequence) + afterMs * 1e6),
    flags: new Uint8Array(list.length),
  };
}

/** Client 2 is replayed broadcasts 2 and 3, and was away for them. */
function arrivalsOf(slice = { index: 0, of: 1 }) {
  const board = new StampTable(size);
  for (let sequence = slice.index; sequence < size; sequence += slice.of) {
    board.sentAtNs[sequence] = sentAtNs(sequence);
    board.state[sequence] = broadcastState.acked;
  }
  const live: [sequence: number, receivedAtNs: number][] = [];
  const wasMissed = (client: number, sequence: number): boolean => client === 2 && (sequence === 2 || sequence === 3);
  const context = { clientCount: clients, options: { warmUp }, board, slice, recorder: () => new Recorder() };
  const arrivals = new Deliveries(context, {
    presence: {
      isReplay: wasMissed,
      cameLive: (sequence, batch, index) => live.push([sequence, batch.receivedAtNs[index] as number]),
      wasAway: wasMissed,
    },
  });
  for (let client = 0; client < clients; client++) arrivals.admit(client);
  return { arrivals, live };
}

const all: [number, number, number][] = [0, 1, 2, 3, 4, 5].flatMap((sequence) =>
  [0, 1, 2].map((client): [number, number, number] => [client, sequence, client === 2 ? 1700 : 3]),
);

it('what is replayed is timed apart from what is live', () => {
  const { arrivals } = arrivalsOf();
  arrivals.take(batchOf(all));
  const { series, samples, counts } = arrivals.report();
  expect([...(series.delivered ?? [])]).toEqual([3, 3, 3, 3, 3]);
  expect([...(series.cameLive ?? [])]).toEqual([3, 2, 2, 3, 3]);
  expect([...(series.cameReplayed ?? [])]).toEqual([0, 1, 1, 0, 0]);
  expect(valuesOf(samples.replayed)).toEqual([1_700_000, 1_700_000]);
  for (const name of ['delivery', 'deliveryFromIntended', 'deliveryAtLeast']) {
    expect([name, valuesOf(samples[name]).length]).toEqual([name, 13]);
  }
  expect(counts).toMatchObject({ received: 18, clockFaults: 0 });
});

it('what another shard published is told apart, and not timed', () => {
  const { arrivals } = arrivalsOf({ index: 0, of: 2 });
  arrivals.take(batchOf(all));
  const { series, samples } = arrivals.report();
  expect([...(series.cameReplayed ?? [])]).toEqual([0, 1, 1, 0, 0]);
  expect(valuesOf(samples.replayed)).toEqual([1_700_000]);
  expect(valuesOf(samples.delivery)).toHaveLength(5);
});

it('duplicates and what is late belong to neither', () => {
  const { arrivals } = arrivalsOf();
  arrivals.take(batchOf([...all.slice(0, 9), ...all.slice(3, 9)]));
  arrivals.close();
  arrivals.take(batchOf(all));
  const { series, counts } = arrivals.report();
  expect([...(series.cameLive ?? [])]).toEqual([3, 2, 0, 0, 0]);
  expect([...(series.cameReplayed ?? [])]).toEqual([0, 1, 0, 0, 0]);
  expect(counts).toMatchObject({ duplicate: 6 + 6, late: 9 });
});

it('what is missing is split by whether the client was away, which is told when a broadcast came live', () => {
  const { arrivals, live } = arrivalsOf();
  arrivals.take(batchOf(all.filter(([client, sequence]) => client !== 2 && sequence !== 5)));
  const { series } = arrivals.report();
  expect([...(series.missing ?? [])]).toEqual([1, 1, 1, 1, 3]);
  expect([...(series.missedAway ?? [])]).toEqual([0, 1, 1, 0, 0]);
  expect([...(series.missedThere ?? [])]).toEqual([1, 0, 0, 1, 3]);
  expect(live).toEqual([0, 1, 2, 3, 4].flatMap((sequence) => [0, 1].map(() => [sequence, sentAtNs(sequence) + 3e6])));
});

it('a delivery took at least the time from the end of its send to when its frame can have been readable', () => {
  expect(atLeastUs(1e9 + 13_000, 1e9 + 2_000)).toBe(11);
});

it('a send that ends after the frame can have been readable, or that nobody saw end, bounds nothing', () => {
  expect(atLeastUs(1e9, 1e9 + 1)).toBe(0);
  expect(atLeastUs(1e9, 0)).toBe(0);
});

it('a timeline counts events by name and by second since its start', () => {
  const timeline = new Timeline(7e9);
  for (const atNs of [7e9, 7.997e9, 8e9, 11.003e9]) timeline.count('opened', atNs);
  timeline.count('closed reset', 9.5e9);
  expect(timeline.report()).toEqual({ opened: [2, 1, 0, 0, 1], 'closed reset': [0, 0, 1] });
});

it('a timeline counts what comes before its start in its first second', () => {
  const timeline = new Timeline(7e9);
  timeline.count('opened', 6.9e9);
  expect(timeline.report()).toEqual({ opened: [1] });
});
