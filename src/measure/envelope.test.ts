import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeOf } from './envelope.js';

const point = (client: string, subscribers: number, ratePerSecond: number, p99: number, isTrusted = true) => ({
  load: { client, subscribers, ratePerSecond },
  error: { p99 },
  isTrusted,
});
const load = (client: string, subscribers: number, ratePerSecond: number) => ({ client, subscribers, ratePerSecond });
const tried = [
  point('wire', 101, 10, 211),
  point('wire', 1009, 10, -307),
  point('wire', 1009, 41, 5003, false),
  point('wire', 3001, 41, 9001, false),
  point('library', 101, 10, 503),
];

describe('where a load lies', () => {
  it('is inside what carried as many subscribers and deliveries, by the nearest such point', () => {
    expect(placeOf(tried, load('wire', 101, 7))).toEqual({ place: 'inside', point: tried[0] });
    expect(placeOf(tried, load('wire', 211, 10))).toEqual({ place: 'inside', point: tried[1] });
    expect(placeOf(tried, load('wire', 97, 100))).toEqual({ place: 'inside', point: tried[1] });
  });

  it('is beyond what was found wrong at no harder load, by the hardest such point', () => {
    expect(placeOf(tried, load('wire', 2003, 41))).toEqual({ place: 'beyond', point: tried[2], errorUs: 5003 });
    expect(placeOf(tried, load('wire', 10_007, 41))).toEqual({ place: 'beyond', point: tried[3], errorUs: 9001 });
  });

  it('is untried between the two, for other clients, and where nothing was tried', () => {
    expect(placeOf(tried, load('wire', 1013, 10)).place).toBe('untried');
    expect(placeOf(tried, load('library', 1009, 10)).place).toBe('untried');
    expect(placeOf([], load('wire', 1, 1)).place).toBe('untried');
  });

  it('does not leave the inside as it gets lighter', () => {
    const loads = fc.tuple(fc.integer({ min: 1, max: 4000 }), fc.double({ min: 0.1, max: 50, noNaN: true }));
    fc.assert(
      fc.property(loads, fc.double({ min: 0.01, max: 1, noNaN: true }), ([subscribers, rate], part) => {
        if (placeOf(tried, load('wire', subscribers, rate)).place !== 'inside') return;
        expect(placeOf(tried, load('wire', Math.ceil(subscribers * part), rate * part)).place).toBe('inside');
      }),
    );
  });
});
