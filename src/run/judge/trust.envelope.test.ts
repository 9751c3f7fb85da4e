import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { isAtMost, placeOf } from './trust.js';

const load = (client: string, clients: number, ratePerSecond: number, more = {}) => ({
  ...{ client, protocol: 'ws-json', clients, ratePerSecond, payloadBytes: 211, workers: 2, shards: 1 },
  ...more,
});
const point = (client: string, clients: number, ratePerSecond: number, p99: number | null, isTrusted = true) => ({
  load: load(client, clients, ratePerSecond),
  error: { p99 },
  isTrusted,
});
const tried = [
  point('wire', 101, 10, 211),
  point('wire', 1009, 10, -307),
  point('wire', 1009, 41, 5003, false),
  point('wire', 3001, 41, 9001, false),
  point('library', 101, 10, 503),
];

describe('where a load lies', () => {
  it('is inside what carried as many clients and deliveries, by the nearest such point', () => {
    expect(placeOf(tried, load('wire', 101, 7))).toEqual({ place: 'inside', point: tried[0] });
    expect(placeOf(tried, load('wire', 211, 10))).toEqual({ place: 'inside', point: tried[1] });
    expect(placeOf(tried, load('wire', 97, 100))).toEqual({ place: 'inside', point: tried[1] });
  });

  it('is beyond what was found wrong at no harder load, by the hardest such point', () => {
    expect(placeOf(tried, load('wire', 2003, 41))).toEqual({ place: 'beyond', point: tried[2] });
    expect(placeOf(tried, load('wire', 10_007, 41))).toEqual({ place: 'beyond', point: tried[3] });
  });

  it('is untried between the two, for other clients, and where nothing was tried', () => {
    expect(placeOf(tried, load('wire', 1013, 10)).place).toBe('untried');
    expect(placeOf(tried, load('library', 1009, 10)).place).toBe('untried');
    expect(placeOf([], load('wire', 1, 1)).place).toBe('untried');
  });

  it.each([
    ['larger payloads', { payloadBytes: 100_000 }],
    ['fewer loops for as many', { workers: 1 }],
    ['another protocol', { protocol: 'socketio' }],
    ['another engine', { engine: 'native' }],
  ])('is not inside with %s than were tried', (_, more) => {
    expect(placeOf(tried, load('wire', 1009, 10)).place).toBe('inside');
    expect(placeOf(tried, load('wire', 1009, 10, more)).place).toBe('untried');
  });

  it('is inside with more loops, and where fewer clients make up for larger payloads or fewer loops', () => {
    expect(placeOf(tried, load('wire', 1009, 10, { shards: 3 })).place).toBe('inside');
    expect(placeOf(tried, load('wire', 503, 10, { payloadBytes: 422 })).place).toBe('inside');
    expect(placeOf(tried, load('wire', 503, 10, { workers: 1 })).place).toBe('inside');
  });

  it('is not inside with a large payload that is seldom sent', () =>
    expect(placeOf(tried, load('wire', 11, 0.1, { payloadBytes: 100_000 })).place).toBe('untried'));

  it('is not beyond what was wrong with fewer loops, larger payloads or another protocol', () => {
    expect(placeOf(tried, load('wire', 2003, 41)).place).toBe('beyond');
    for (const more of [{ workers: 8 }, { shards: 4 }, { payloadBytes: 103 }, { protocol: 'socketio' }])
      expect(placeOf(tried, load('wire', 2003, 41, more)).place).toBe('untried');
  });

  it('learns nothing from a point without a p99', () =>
    expect(placeOf([point('wire', 7, 10, null, false)], load('wire', 1009, 10)).place).toBe('untried'));

  const any = fc.record({
    clients: fc.integer({ min: 1, max: 4000 }),
    ratePerSecond: fc.double({ min: 0.1, max: 50, noNaN: true }),
    payloadBytes: fc.integer({ min: 37, max: 1000 }),
    workers: fc.integer({ min: 1, max: 8 }),
  });
  const of = ({ clients, ratePerSecond, ...more }: { clients: number; ratePerSecond: number }) =>
    load('wire', clients, ratePerSecond, more);

  it('does not leave the inside as it gets lighter', () =>
    law(any, fc.double({ min: 0.01, max: 1, noNaN: true }), (each, part) => {
      if (placeOf(tried, of(each)).place !== 'inside') return;
      const clients = Math.max(1, Math.floor(each.clients * part));
      const lighter = { ...each, clients, ratePerSecond: each.ratePerSecond * part };
      expect(placeOf(tried, of(lighter)).place).toBe('inside');
    }));

  it('is an order: reflexive and transitive', () =>
    law(any, any, any, (a, b, c) => {
      expect(isAtMost(of(a), of(a))).toBe(true);
      if (isAtMost(of(a), of(b)) && isAtMost(of(b), of(c))) expect(isAtMost(of(a), of(c))).toBe(true);
    }));
});
