import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rooms, roomAtMost } from './rooms.js';

const shapes = fc.record({
  total: fc.integer({ min: 2, max: 100_000 }),
  size: fc.integer({ min: 2, max: 1000 }),
  sendsEach: fc.integer({ min: 1, max: 1_000_000 }),
});

describe('the numbers of whispers', () => {
  it('name their sender and which of its whispers it is to everybody in the room, and fit nine digits', () => {
    fc.assert(
      fc.property(shapes, fc.nat(), fc.nat(), fc.nat(), ({ total, size, sendsEach }, a, b, c) => {
        const rooms = new Rooms(total, size, sendsEach);
        const sender = a % total;
        const number = b % sendsEach;
        expect(rooms.size).toBe(Math.min(size, total));
        const base = rooms.roomOf(sender) * rooms.size;
        const receiver = base + (c % Math.min(size, total - base));
        const sequence = rooms.sequenceOf(sender, number);
        expect(sequence).toBeLessThan(1e9);
        expect(rooms.numberOf(sequence)).toBe(number);
        expect(rooms.senderOf(sequence, receiver)).toBe(sender === receiver ? -1 : sender);
      }),
    );
  });

  it('name nobody to another room', () => {
    const rooms = new Rooms(101, 10, 7);
    for (let sender = 0; sender < 101; sender++) {
      for (let receiver = 0; receiver < 101; receiver++) {
        const isHeard = sender !== receiver && rooms.roomOf(sender) === rooms.roomOf(receiver);
        expect(rooms.senderOf(rooms.sequenceOf(sender, 3), receiver)).toBe(isHeard ? sender : -1);
      }
    }
    // Client 104 would be in the last room, were there so many.
    expect(rooms.senderOf(104 * 7, 100)).toBe(-1);
  });

  it('that a room has too few of are refused', () => {
    expect(() => new Rooms(20, 10, 100_000_001)).toThrow(RangeError);
    expect(new Rooms(20, 10, 100_000_000).senderOf(900_000_000, 10)).toBe(19);
    expect([roomAtMost(100_000_001), roomAtMost(100_000_000)]).toEqual([9, 10]);
  });

  it('are those of a room that is no larger than the audience', () => {
    const rooms = new Rooms(2, 10_000, 101_001);
    expect([rooms.size, rooms.roomOf(0), rooms.roomOf(1)]).toEqual([2, 0, 0]);
    expect(rooms.senderOf(rooms.sequenceOf(1, 101_000), 0)).toBe(1);
  });
});
