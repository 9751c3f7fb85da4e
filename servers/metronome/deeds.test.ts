import fc from 'fast-check';
import { expect, it } from 'vitest';
import { payloadFormat } from '../../src/measure/samples/payload.js';
import { metronomeConnections, metronomeRecord } from '../../src/targets/metronome/record.js';
import { law } from '../../test/law.js';
import { DeliveryRecord } from './deeds.js';
import { SequenceReader } from './metronome.js';

const all = { from: 0, stream: undefined };

/** A record of two streams: seven deliveries of `a`'s third broadcast, one of them dropped, and one of `b`'s first. */
function recorded(bounds?: { broadcasts: number; deliveries: number }): DeliveryRecord {
  const deeds = new DeliveryRecord(bounds);
  const streams = new Set(['a']);
  for (let index = 0; index < 7; index++)
    deeds.connected({ index, peer: `peer ${index}`, streams, isOpen: index !== 5 });
  const entry = deeds.published(3, 'a', 1e6, 201);
  for (let index = 0; index < 7; index++) {
    const row = deeds.owed(entry, index);
    if (index === 0) deeds.did('dropped', entry, row);
    else if (index === 5) entry.gone++;
    else if (index < 5) deeds.delivered(entry, row, 20e6, 20e6 + index * 1500);
    if (index === 2) deeds.did('duplicated', entry, row);
    if (index === 3) deeds.did('reordered', entry, row);
  }
  const other = deeds.published(0, 'b', 2e6, 201);
  deeds.delivered(other, deeds.owed(other, 6), 0, 3999);
  deeds.published(4, 'a', 3e6, 503);
  deeds.refusedConnection();
  return deeds;
}

it('sums up, and what is owed is accounted for', () => {
  const summary = recorded().summary(all);
  expect(metronomeRecord.parse(summary)).toEqual(summary);
  expect(summary.totals).toEqual({
    ...{ broadcasts: 2, owed: 8, delivered: 5, dropped: 1, gone: 1, pending: 1, duplicated: 1, reordered: 1 },
    ...{ unswapped: 0, backlogged: 0, refusedPublishes: 1, refusedConnections: 1, isWhole: true },
  });
  expect(summary.broadcasts.map(({ sequence, stream, status }) => [sequence, stream, status])).toEqual([
    [3, 'a', 201],
    [0, 'b', 201],
    [4, 'a', 503],
  ]);
  const [first, second] = summary.broadcasts.map(({ receivedAtNs }) => receivedAtNs);
  expect(second! - first!).toBe(1e6);
});

it('tells the delays of first copies in floored microseconds, sorted', () => {
  const deeds = recorded();
  expect(deeds.samples(all, 'asked')).toEqual({
    kind: 'raw',
    values: Uint32Array.of(0, 20_000, 20_000, 20_000, 20_000),
  });
  expect(deeds.samples(all, 'done')).toEqual({
    kind: 'raw',
    values: Uint32Array.of(3, 20_001, 20_003, 20_004, 20_006),
  });
});

it('tells what was written when, by broadcast', () => {
  const writes = recorded().writes({ from: 0, stream: 'a' });
  const delays = writes.filter((_, index) => index % 2 === 1).sort();
  expect([...delays]).toEqual([3, 20_001, 20_003, 20_004, 20_006].slice(-delays.length));
  expect(new Set(writes.filter((_, index) => index % 2 === 0))).toEqual(
    new Set(
      recorded()
        .summary({ from: 0, stream: 'a' })
        .broadcasts.filter(({ delivered }) => delivered > 0)
        .map(({ sequence }) => sequence),
    ),
  );
});

it('chooses by sequence number and stream', () => {
  const deeds = recorded();
  expect(deeds.summary({ from: 3, stream: undefined }).broadcasts).toHaveLength(2);
  expect(deeds.summary({ from: 0, stream: 'b' }).totals).toMatchObject({ broadcasts: 1, owed: 1, refusedPublishes: 0 });
  expect(deeds.samples({ from: 4, stream: undefined }, 'done').kind === 'raw').toBe(true);
  expect(deeds.samples({ from: 1, stream: undefined }, 'done')).toMatchObject({ values: { length: 4 } });
});

it('tells to whom what was done', () => {
  const list = recorded().connections(all);
  expect(metronomeConnections.parse(list)).toEqual(list);
  const nothing = { isOpen: true, streams: ['a'], dropped: [], duplicated: [], reordered: [] };
  expect(list.slice(0, 4)).toEqual([
    { ...nothing, index: 0, peer: 'peer 0', dropped: [3] },
    { ...nothing, index: 1, peer: 'peer 1' },
    { ...nothing, index: 2, peer: 'peer 2', duplicated: [3] },
    { ...nothing, index: 3, peer: 'peer 3', reordered: [3] },
  ]);
  expect(list[5]?.isOpen).toBe(false);
});

it('says when a bound was passed, and goes on counting', () => {
  const fewRows = recorded({ broadcasts: 7, deliveries: 3 });
  expect(fewRows.summary(all).totals).toMatchObject({ owed: 8, delivered: 5, dropped: 1, isWhole: false });
  expect(fewRows.samples(all, 'done')).toMatchObject({ values: { length: 2 } });
  const fewBroadcasts = recorded({ broadcasts: 1, deliveries: 7 });
  expect(fewBroadcasts.summary(all).totals).toMatchObject({ owed: 7, broadcasts: 1, isWhole: false });
});

it('finds the sequence number of any run', () => {
  const reader = new SequenceReader();
  const runIds = fc.constantFrom('0123abcd', 'ffffffff', '00000007');
  law(runIds, fc.nat(999), fc.nat(999_999_999), fc.nat(97), (runId, shard, sequence, padding) => {
    expect(reader.of(payloadFormat(runId, 67 + padding).text(shard, sequence))).toBe(sequence);
  });
});

it.each(['7', '{"m":"ringside:"}', '{"m":"ringside:0123abcd:001:12"}', '{"m":"ringside:0123ABCD:001:000000007:"}'])(
  'finds none in %s',
  (data) => expect(new SequenceReader().of(data)).toBe(-1),
);
