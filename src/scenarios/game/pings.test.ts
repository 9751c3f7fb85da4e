import { describe, expect, it } from 'vitest';
import { PlayerBuckets, pingPlateauOf } from './pings.js';
import { gameSlotIn, KeyNumbers, playersPerRoom, tooManyKeys } from './players.js';

it('an instant belongs to the hundred of clients that is planned to come in then', () => {
  const hundreds = new PlayerBuckets('50s:200,7s:200,25s:250');
  hundreds.begin(7e9);
  const at = [0, 24, 26, 49, 56, 58, 82, 1000].map((seconds) => hundreds.at(7e9 + seconds * 1e9));
  expect(at).toEqual([0, 0, 1, 1, 1, 2, 2, 2]);
  expect(hundreds.count).toBe(3);
  expect([0, 1, 2].map((hundred) => hundreds.spanMs(hundred).map(Math.round))).toEqual([
    [125, 25_125],
    [25_125, 57_250],
    [57_250, 82_000],
  ]);
});

describe('a plateau', () => {
  const p95 = [5, 4, 6, 5, 5, 6, 7, 16, 20, 40, 90];

  it('is the median of the first five hundreds, left where lower ends are three times as high twice in a row', () => {
    expect(pingPlateauOf(p95, p95)).toEqual({ us: 5, hundreds: 11, leftAt: 7 });
    expect(pingPlateauOf([...p95.slice(0, 7), 16, 5, 40, 90], [...p95.slice(0, 7), 16, 5, 40, 90])?.leftAt).toBe(9);
    expect(pingPlateauOf(p95.slice(0, 8), p95.slice(0, 8))).toMatchObject({ us: 5, leftAt: undefined });
  });

  it('begins where there are enough pings for a p95', () => {
    expect(pingPlateauOf([null, ...p95], [null, ...p95])).toEqual({ us: 5, hundreds: 11, leftAt: 8 });
    expect(pingPlateauOf([null, null], [null, null])).toBeUndefined();
  });

  it('is not left by what the rig may have added', () => {
    expect(
      pingPlateauOf(
        p95,
        p95.map(() => 3),
      ),
    ).toMatchObject({ us: 5, leftAt: undefined });
  });

  it('is left where pings have no p95 any more, as too many are unanswered', () => {
    expect(pingPlateauOf([...p95.slice(0, 6), null, null], [...p95.slice(0, 6), null, null])?.leftAt).toBe(6);
  });

  it('is not named without five hundreds', () => {
    expect(pingPlateauOf([5, 5, 5, 5], [5, 5, 5, 5])).toBeUndefined();
  });
});

describe('a seat', () => {
  it('is a room and a place of six in it', () => {
    expect(gameSlotIn('{"room":"g17","seat":3}')).toEqual({ room: 17, seat: 3, stream: 'g17/3' });
  });

  it.each([
    '',
    '[]',
    '{"room":"17","seat":3}',
    '{"room":"g17","seat":6}',
    '{"room":"g17","seat":1.5}',
    '{"room":"g17"}',
  ])('is not %s', (text) => expect(gameSlotIn(text)).toBeUndefined());

  it('has numbers for its keys that no other seat of the run has', () => {
    const numbers = new KeyNumbers(7, 11);
    const rooms = [100, 101, 102, 103, 104, 105, 106];
    const all = rooms.flatMap((room) =>
      Array.from({ length: playersPerRoom * 11 }, (_, n) =>
        numbers.sequenceOf(numbers.seatOf({ room, seat: n % playersPerRoom }), Math.floor(n / playersPerRoom)),
      ),
    );
    expect(new Set(all).size).toBe(all.length);
    expect(Math.max(...all)).toBe(all.length - 1);
    expect([tooManyKeys(3300, 4126), tooManyKeys(100_000, 4126)]).toEqual([false, true]);
  });
});
