import fc from 'fast-check';
import { expect, it } from 'vitest';
import { payloadFormat } from '../../src/measure/samples/payload.js';
import { metronomeOptions, ordersOf } from '../../src/targets/metronome/orders.js';
import { FakeLoop } from '../../test/doubles/fake-loop.js';
import { law } from '../../test/law.js';
import { wsJsonDialect } from './dialects/list.js';
import { drawNumber, Metronome, type Subject } from './metronome.js';

const all = { from: 0, stream: undefined };

const format = payloadFormat('0123abcd', 67);

/** A metronome with subscribers of one stream, and all that was written to each. */
function metronomeWith(options: object, subscribers = 31) {
  const loop = new FakeLoop();
  const metronome = new Metronome(ordersOf(metronomeOptions.parse(options)), wsJsonDialect, loop);
  const texts = Array.from({ length: subscribers }, (): string[] => []);
  for (const written of texts) {
    const write = (frame: Buffer) => written.push(String(frame));
    const opened = { subprotocol: '', url: '/ws', end: () => undefined };
    const connection = metronome.connect({ writable: true, writableLength: 0, write }, 'peer', opened);
    metronome.hear(connection, '{"type":"subscribe","stream":"s"}');
    written.length = 0;
  }
  const publish = (sequence: number, stream = 's') => {
    let status = 0;
    const data = format.text(0, sequence);
    const readAtNs = loop.nowNs();
    metronome.pacer.pass(() => {
      status = metronome.publish({ stream, data, value: JSON.parse(data) }, readAtNs);
    });
    return status;
  };
  const sequences = () => texts.map((list) => list.map((text) => format.sequenceOf(text)));
  return { loop, metronome, publish, sequences };
}

it('does the same from the same seed, whatever the timing', () => {
  const orders = { drop: 0.1, duplicate: 0.2, reorder: 0.3, refusePublish: 0.1, delay: 'uniform:5ms,50ms', seed: 7 };
  const runs = [13, 101].map((pauseMs) => {
    const { loop, metronome, publish, sequences } = metronomeWith(orders);
    for (let sequence = 0; sequence < 23; sequence++) {
      publish(sequence);
      loop.run(pauseMs);
    }
    loop.run(5003);
    return [sequences(), metronome.deeds.connections(all)];
  });
  expect(runs[1]).toEqual(runs[0]);
});

it('has done to every client what its record says', () => {
  const shares = { drop: 0.2, duplicate: 0.2, reorder: 0.2, refusePublish: 0.2 };
  law.with({ numRuns: 31 }, fc.nat(1_000_003), (seed) => {
    const { loop, metronome, publish, sequences } = metronomeWith(
      { ...shares, delay: 'bimodal:1ms,43ms,0.5', seed },
      7,
    );
    const statuses = Array.from({ length: 17 }, (_, sequence) => {
      const status = publish(sequence);
      loop.run(11);
      return status;
    });
    loop.run(5003);
    const { totals, broadcasts } = metronome.deeds.summary(all);
    expect(broadcasts.map(({ status }) => status)).toEqual(statuses);
    expect(totals).toMatchObject({
      owed: 7 * totals.broadcasts,
      pending: 0,
      gone: 0,
      broadcasts: 17 - totals.refusedPublishes,
    });
    const seen = sequences();
    const books = metronome.deeds.connections(all);
    for (const [index, { dropped, duplicated, reordered }] of books.entries()) {
      const counted = new Map<number, number>();
      const outOfOrder: number[] = [];
      let highest = -1;
      for (const sequence of seen[index]!) {
        if (!counted.has(sequence) && sequence < highest) outOfOrder.push(sequence);
        counted.set(sequence, (counted.get(sequence) ?? 0) + 1);
        highest = Math.max(highest, sequence);
      }
      const taken = statuses.flatMap((status, sequence) => (status === 201 ? [sequence] : []));
      expect(taken.filter((sequence) => !counted.has(sequence))).toEqual(dropped);
      expect(
        [...counted]
          .filter(([, times]) => times === 2)
          .map(([sequence]) => sequence)
          .toSorted(),
      ).toEqual(duplicated.toSorted());
      expect(outOfOrder).toEqual(reordered);
    }
  });
});

it('draws refusals by the order of upgrades, and drops by connection and sequence number', () => {
  const { metronome, publish, sequences } = metronomeWith({ refuse: 0.25, drop: 0.25, seed: 11 }, 13);
  const refused = Array.from({ length: 101 }, () => metronome.refusesUpgrade());
  expect(refused).toEqual(Array.from({ length: 101 }, (_, upgrade) => drawNumber(11, 'refuse', 0, upgrade) < 0.25));
  expect(metronome.deeds.summary(all).totals.refusedConnections).toBe(refused.filter(Boolean).length);
  publish(17);
  expect(sequences()).toEqual(
    Array.from({ length: 13 }, (_, index) => (drawNumber(11, 'drop', index, 17) < 0.25 ? [] : [17])),
  );
});

it('stands still as ordered: what was asked of it meanwhile is done after, and takes that long', () => {
  const { loop, metronome, publish, sequences } = metronomeWith({ freeze: '20ms+100ms', delay: 'constant:7ms' }, 3);
  publish(0);
  loop.run(15);
  publish(1);
  loop.run(20);
  expect(publish(2)).toBe(0);
  loop.run(84);
  expect(sequences()[0]).toEqual([0]);
  loop.run(2);
  expect(sequences()).toEqual([
    [0, 1, 2],
    [0, 1, 2],
    [0, 1, 2],
  ]);
  const asked = metronome.deeds.samples(all, 'asked');
  // Published at 0, 15 and 35 ms, written at 7, 120 and 120.
  expect(asked.kind === 'raw' && [...asked.values]).toEqual([
    ...Array(3).fill(7000),
    ...Array(3).fill(85_000),
    ...Array(3).fill(105_000),
  ]);
  const done = metronome.deeds.samples(all, 'done');
  for (const [index, us] of done.kind === 'raw' ? done.values.entries() : []) {
    expect(us - (asked.kind === 'raw' ? asked.values[index]! : 0)).toBeLessThan(50);
  }
});

it('delays all deliveries of a broadcast by one draw if told so, in each stream by another', () => {
  const { loop, metronome, publish } = metronomeWith({ delay: 'bimodal:1ms,43ms,0.4', delayPer: 'broadcast' }, 5);
  publish(0, 'before');
  for (let sequence = 0; sequence < 7; sequence++) {
    publish(sequence);
    loop.run(101);
  }
  const drawn = Array.from({ length: 7 }, (_, sequence) => (drawNumber(1, 'delay', 1, sequence) < 0.6 ? 1000 : 43_000));
  expect(new Set(drawn).size).toBe(2);
  const asked = metronome.deeds.samples(all, 'asked');
  expect(asked.kind === 'raw' && [...asked.values].toSorted()).toEqual(
    drawn.flatMap((us) => Array(5).fill(us)).toSorted(),
  );
});

it('is slow in the first broadcasts of a stream, and slower from second to second as it drifts', () => {
  const { loop, metronome, publish } = metronomeWith({ delay: 'constant:7ms', cold: '2,100ms', driftMs: 3 }, 1);
  for (const sequence of [0, 1, 2, 4]) {
    publish(sequence);
    loop.run(1000);
  }
  const asked = metronome.deeds.samples(all, 'asked');
  expect(asked.kind === 'raw' && [...asked.values].map((us) => Math.round(us / 100))).toEqual([130, 160, 1070, 1100]);
});

it('numbers broadcasts without our marker by their stream', () => {
  const { metronome } = metronomeWith({}, 0);
  for (const stream of ['a', 'b', 'a']) metronome.publish({ stream, data: '7', value: 7 }, 0);
  expect(metronome.deeds.summary(all).broadcasts.map(({ sequence }) => sequence)).toEqual([0, 0, 1]);
});

it('writes no more frames a second than its limit, in one queue, and its record says how long each waited', () => {
  const { loop, metronome, publish, sequences } = metronomeWith({ limit: 1000, delay: 'constant:7ms' }, 5);
  publish(0);
  publish(1);
  loop.run(8.5);
  expect(sequences().flat()).toEqual([0]);
  loop.run(101);
  expect(sequences()).toEqual(Array.from({ length: 5 }, () => [0, 1]));
  const asked = metronome.deeds.samples(all, 'asked');
  // One after the other a millisecond each, and 7 ms behind its turn.
  expect(asked.kind === 'raw' && [...asked.values]).toEqual(Array.from({ length: 10 }, (_, n) => 8000 + n * 1000));
  publish(2);
  loop.run(8.5);
  expect(sequences()[0]).toEqual([0, 1, 2]);
  expect(metronome.deeds.summary(all).totals).toMatchObject({ owed: 15, delivered: 11, pending: 4 });
});

const seeds = fc.integer({ min: 0, max: 0xffff_ffff });

const subjects: Subject[] = ['delay', 'drop', 'duplicate', 'reorder', 'refuse', 'refusePublish'];

/** Draws of neighbouring connections and broadcasts, as a run makes them. */
function draws(seed: number, subject: Subject, connections = 101, broadcasts = 97): number[] {
  return Array.from({ length: connections * broadcasts }, (_, index) =>
    drawNumber(seed, subject, index % connections, Math.floor(index / connections)),
  );
}

it('gives the same number to the same four, and stays where it was', () => {
  expect([drawNumber(1, 'drop', 2, 3), drawNumber(7, 'delay', 11, 13)]).toEqual([
    drawNumber(1, 'drop', 2, 3),
    drawNumber(7, 'delay', 11, 13),
  ]);
  // A change here changes the faults of every seed.
  expect(drawNumber(1, 'drop', 2, 3)).toMatchInlineSnapshot(`0.5071088193920301`);
});

it('is a share of about that size below every bound, whatever the seed', () =>
  law.with(
    { numRuns: 50 },
    seeds,
    fc.constantFrom(...subjects),
    fc.double({ min: 0.01, max: 0.99, noNaN: true }),
    (seed, subject, p) => {
      const all = draws(seed, subject);
      const deviation = Math.sqrt(p * (1 - p) * all.length);
      expect(Math.abs(all.filter((each) => each < p).length - p * all.length)).toBeLessThan(6 * deviation);
    },
  ));

it('says nothing about the draws of another subject, the next connection or the next broadcast', () => {
  const all = draws(7, 'drop');
  const others = [draws(7, 'duplicate'), draws(8, 'drop'), all.slice(1), all.slice(101)];
  // The standard deviation of a correlation of n pairs is 1 / √n.
  for (const other of others) expect(Math.abs(correlation(all, other))).toBeLessThan(6 / Math.sqrt(other.length));
});

function correlation(a: readonly number[], b: readonly number[]): number {
  const sum = b.reduce((total, each, index) => total + (each - 0.5) * (a[index]! - 0.5), 0);
  return (sum / b.length) * 12;
}
