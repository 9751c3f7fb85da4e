import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberedStreams } from './streams.js';

const seq = (number: number) => number;

/** The counts of a client that saw these numbers: seen, missing, twice, out of order. */
function seen(numbers: number[], from?: number): number[] {
  const streams = new NumberedStreams(
    () => 0,
    () => undefined,
  );
  const stream = streams.stream('news', { seq, ...(from !== undefined && { from }) });
  for (const number of numbers) stream.saw(number);
  const { streamCame = 0, streamLost = 0, streamTwice = 0, streamOutOfOrder = 0 } = streams.counts();
  return [streamCame + streamTwice, streamLost, streamTwice, streamOutOfOrder];
}

describe('a stream of a client', () => {
  it('begins with the first number, or with one that the flow knows', () => {
    expect(seen([7, 8, 9])).toEqual([3, 0, 0, 0]);
    expect(seen([7, 8, 9], 5)).toEqual([3, 2, 0, 0]);
    expect(seen([5, 6], 5)).toEqual([2, 0, 0, 0]);
  });

  it('counts gaps, repeats, and what comes late', () => {
    expect(seen([1, 2, 5])).toEqual([3, 2, 0, 0]);
    expect(seen([1, 2, 2, 1])).toEqual([4, 0, 2, 0]);
    expect(seen([1, 3, 2, 4])).toEqual([4, 0, 0, 1]);
    expect(seen([4, 2])).toEqual([2, 1, 0, 1]);
    expect(seen([1, 3, 2, 2])).toEqual([4, 0, 1, 1]);
  });

  it('counts a huge gap at once, and what comes of it beyond memory as repeated', () => {
    expect(seen([1, 10 ** 12])).toEqual([2, 10 ** 12 - 2, 0, 0]);
  });

  it('adds up: seen = numbers of the range - missing + repeated', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1 }), (numbers) => {
        const [all, missing, twice] = seen(numbers) as [number, number, number];
        const range = Math.max(...numbers) - Math.min(...numbers) + 1;
        expect([all, missing]).toEqual([range - missing + twice, range - new Set(numbers).size]);
      }),
    );
  });

  it('needs whole numbers', () => {
    for (const number of [undefined, '7', 1.5, Number.NaN])
      expect(() => seen([number as number])).toThrow(
        /^stream news: expected a whole number of seq\(message\), received /,
      );
  });
});

describe('the spread over the receivers of a worker', () => {
  it('is the time from the first receiver to each other one, once', () => {
    const spreads: number[] = [];
    let nowNs = 0;
    const streams = new NumberedStreams(
      () => nowNs,
      (us) => spreads.push(us),
    );
    const [a, b, c] = ['news', 'news', 'news'].map((name) => streams.stream(name, { seq, from: 0 }));
    const other = streams.stream('other', { seq });
    for (const [stream, number, us] of [
      [a, 0, 10],
      [b, 0, 17],
      [b, 0, 18],
      [b, 1, 20],
      [other, 1, 25],
      [c, 0, 31],
      [a, 1, 50],
    ] as const) {
      nowNs = us * 1000;
      stream!.saw(number);
    }
    expect(spreads).toEqual([7, 21, 30]);
  });

  it('is forgotten for old numbers and untimed beyond 1000 streams', () => {
    const spreads: number[] = [];
    const streams = new NumberedStreams(
      () => 0,
      (us) => spreads.push(us),
    );
    const [a, b] = [streams.stream('news', { seq, from: 0 }), streams.stream('news', { seq, from: 0 })];
    for (let number = 0; number < 300; number++) a.saw(number);
    b.saw(0);
    b.saw(299);
    expect(spreads.length).toBe(1);
    for (let name = 0; name < 1000; name++) streams.stream(`room ${name}`, { seq }).saw(1);
    expect(streams.counts().streamUntimed).toBe(1);
  });
});
