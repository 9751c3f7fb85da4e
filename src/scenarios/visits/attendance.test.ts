import { describe, expect, it } from 'vitest';
import { Board } from '../../measure/samples/board.js';
import { Attendance } from './attendance.js';

const startNs = 7e9;
const at = (ms: number): number => startNs + ms * 1e6;
const numbers = Array.from({ length: 23 }, (_, sequence) => sequence);

/** Broadcasts every 100 ms, sent 3 ms late by this shard; client 2 is a visitor from 310 to 1690 ms. */
function attendance(slice = { index: 0, of: 1 }) {
  const board = new Board(23);
  for (let sequence = slice.index; sequence < 23; sequence += slice.of)
    board.sentAtNs[sequence] = at(sequence * 100 + 3);
  const made = new Attendance({ board, slice, clientCount: 4, options: { ratePerSecond: 10 } }, 2);
  made.begin(startNs);
  made.admit(2, at(310), at(1690));
  return { board, owed: (client: number) => numbers.filter((sequence) => made.isOwed(client, sequence)), made };
}

describe('what is owed', () => {
  it('to a client that stays is everything', () => {
    expect(attendance().owed(1)).toEqual(numbers);
  });

  it('to a visitor is what was sent while it was there, ends included', () => {
    const { made, owed } = attendance();
    expect(owed(2)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    made.admit(2, at(403), at(1603));
    expect(owed(2)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  });

  it('to a visitor that never came is nothing', () => {
    expect(attendance().owed(3)).toEqual([]);
  });

  it('to a visitor that stays to the end is all that was sent since, and nothing unsent', () => {
    const { made, owed, board } = attendance();
    board.sentAtNs[20] = 0;
    made.admit(2, at(1700), Number.POSITIVE_INFINITY);
    expect(owed(2)).toEqual([17, 18, 19, 21, 22]);
  });

  it('of another shard is what it sent within the visit even if it started half a second apart', () => {
    expect(attendance({ index: 23, of: 29 }).owed(2)).toEqual([9, 10, 11]);
  });
});
