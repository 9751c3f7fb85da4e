import { describe, expect, it } from 'vitest';
import { StampTable } from '../../measure/samples/recorder.js';
import { presenceOf } from './presence.js';

const ms = 1e6;
const startNs = 7e9;
const at = (atMs: number): number => startNs + atMs * ms;

/** Broadcasts every 100 ms, sent 3 ms and answered 7 ms late by this shard; client 1 is away from 270 to 470 ms. */
function presence(slice = { index: 0, of: 1 }, ackAfterMs: (sequence: number) => number = () => 7) {
  const board = new StampTable(11);
  for (let sequence = slice.index; sequence < 11; sequence += slice.of) {
    board.sentAtNs[sequence] = at(sequence * 100 + 3);
    board.ackAtNs[sequence] = at(sequence * 100 + ackAfterMs(sequence));
  }
  const made = presenceOf({ board, slice, options: { ratePerSecond: 10 } }, 3);
  made.begin(startNs);
  made.left(1, at(270));
  made.returning(1, at(430));
  made.back(1, at(470));
  return made;
}

const numbers = Array.from({ length: 11 }, (_, sequence) => sequence);

/** Every broadcast reaches somebody that long after it was due. */
function heardLive(of: ReturnType<typeof presenceOf>, after: number | ((sequence: number) => number)): void {
  const afterMs = typeof after === 'number' ? () => after : after;
  const receivedAtNs = Float64Array.from(numbers, (sequence) => at(sequence * 100 + afterMs(sequence)));
  const batch = {
    count: 11,
    notBeforeNs: new Float64Array(11),
    client: new Int32Array(11),
    sequence: new Int32Array(11),
    flags: new Uint8Array(11),
  };
  for (const sequence of numbers) of.cameLive(sequence, { ...batch, receivedAtNs }, sequence);
}

describe('a delivery to a client that came back', () => {
  const replays = (of: ReturnType<typeof presenceOf>, client: number) =>
    numbers.filter((sequence) => of.isReplay(client, sequence));

  it('is a replay of what the target had taken before it began to', () => {
    expect(replays(presence(), 1)).toEqual([0, 1, 2, 3, 4]);
    expect(replays(presence(), 0)).toEqual([]);
  });

  it('is none of what was under way as it began to: the target may have taken it when the client was there', () => {
    expect(
      replays(
        presence(undefined, (sequence) => (sequence === 4 ? 31 : 7)),
        1,
      ),
    ).toEqual([0, 1, 2, 3]);
    expect(
      replays(
        presence(undefined, (sequence) => (sequence === 3 ? Number.NEGATIVE_INFINITY : 7)),
        1,
      ),
    ).toEqual([0, 1, 2, 4]);
  });

  it('or, where another shard sent it, of what others had live before that', () => {
    const soon = presence({ index: 0, of: 3 });
    heardLive(soon, 29);
    expect(replays(soon, 1)).toEqual([0, 1, 2, 3, 4]);
    // The other shard started later than this one: the client came back while broadcast 4 had yet to be sent.
    const later = presence({ index: 0, of: 3 });
    heardLive(later, 31);
    expect(replays(later, 1)).toEqual([0, 1, 2, 3]);
  });

  it('or, where nobody had it, of what was due long before', () => {
    expect(replays(presence({ index: 10, of: 11 }), 1)).toEqual([]);
    const late = presence({ index: 10, of: 11 });
    late.left(1, at(800));
    late.returning(1, at(1100));
    expect(replays(late, 1)).toEqual([0, 1, 2, 3, 4, 5, 10]);
  });
});

describe('a broadcast that did not arrive', () => {
  const away = (lastLiveMs: number | undefined, slice?: { index: number; of: number }): number[] => {
    const of = presence(slice);
    if (lastLiveMs !== undefined) heardLive(of, lastLiveMs);
    return numbers.filter((sequence) => of.wasAway(1, sequence));
  };

  it('was sent while the client was away, until its subscription was confirmed', () => {
    expect(away(undefined)).toEqual([3, 4]);
    expect(presence().wasAway(0, 3)).toBe(false);
  });

  it('or was on its way when the client left: others had it no more than 50 ms before, or later', () => {
    expect(away(19)).toEqual([3, 4]);
    expect(away(21)).toEqual([2, 3, 4]);
  });

  it('is judged by the schedule where another shard sent it', () => {
    expect(away(undefined, { index: 1, of: 3 })).toEqual([3, 4]);
    // A shard that started earlier than this one: it arrived before it was due here.
    expect(away(-160, { index: 1, of: 3 })).toEqual([3, 4, 5, 6]);
  });

  it('or left before the return, from a shard that started earlier, though others here had it after the return', () => {
    // Ours take 2 ms from their send. The other shards start 40 ms earlier: theirs are here 38 ms before they are due.
    const isOurs = (sequence: number): boolean => sequence % 3 === 0;
    const of = presence({ index: 0, of: 3 });
    heardLive(of, (sequence) => (isOurs(sequence) ? 5 : -38));
    // Broadcast 5 leaves at 460 ms. The first to have it has it at 462 ms, the last at 475 ms.
    heardLive(of, (sequence) => (isOurs(sequence) ? 5 : -25));
    expect(numbers.filter((sequence) => of.wasAway(1, sequence))).toEqual([3, 4, 5]);
    of.back(1, at(459));
    expect(numbers.filter((sequence) => of.wasAway(1, sequence))).toEqual([3, 4]);
  });

  it('or waited at the target, which answered only after the client was dropped', () => {
    const waits = presence(undefined, (sequence) => (sequence === 2 ? 90 : 7));
    expect(numbers.filter((sequence) => waits.wasAway(1, sequence))).toEqual([2, 3, 4]);
  });

  it('or may lie unread, if the machine left no time to read between its arrival and the drop', () => {
    const of = presence();
    heardLive(of, 5);
    of.left(0, at(580));
    of.left(2, at(580), at(480));
    const missed = (client: number) => numbers.filter((sequence) => sequence < 6 && of.wasAway(client, sequence));
    expect([missed(0), missed(2)]).toEqual([[], [5]]);
  });

  it('was sent while the client was away that never came back', () => {
    const gone = presence();
    gone.left(2, at(560));
    expect(numbers.filter((sequence) => gone.wasAway(2, sequence))).toEqual([6, 7, 8, 9, 10]);
  });
});

it('keeps a bounded number of absences of a client that is cut off without end: the last one holds the rest', () => {
  const board = new StampTable(3);
  const busy = presenceOf({ board, slice: { index: 0, of: 1 }, options: { ratePerSecond: 1 } }, 1);
  for (let n = 0; n < 1009; n++) {
    busy.left(0, n * 1e9);
    busy.back(0, n * 1e9 + 3e8);
  }
  for (const [sequence, seconds] of [100.5, 500.5, 1008.9].entries()) {
    board.sentAtNs[sequence] = seconds * 1e9;
    board.ackAtNs[sequence] = seconds * 1e9 + 1e6;
  }
  expect([0, 1, 2].map((sequence) => busy.wasAway(0, sequence))).toEqual([false, true, false]);
});
