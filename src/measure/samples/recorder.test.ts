import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Recorder, StampTable } from './recorder.js';

const micros = fc.double({ min: 0, max: 2 ** 32 - 1, noNaN: true });

describe('Recorder', () => {
  it('keeps every sample, floored and sorted', () => {
    fc.assert(
      fc.property(fc.array(micros), (values) => {
        const recorder = new Recorder();
        for (const value of values) recorder.record(value);
        expect(recorder.count).toBe(values.length);
        expect(recorder.finish()).toEqual({ kind: 'raw', values: Uint32Array.from(values.map(Math.floor)).sort() });
      }),
    );
  });

  it('keeps them over many chunks, and goes on after a finish', () => {
    const recorder = new Recorder();
    const total = 200_003;
    for (let value = 0; value < total; value++) {
      if (value === 131_072) expect(recorder.finish()).toMatchObject({ values: { length: 131_072 } });
      recorder.record(total - 1 - value);
    }
    expect(recorder.finish()).toEqual({
      kind: 'raw',
      values: Uint32Array.from({ length: total }, (_, value) => value),
    });
  });

  it('gives a histogram of all samples above its bound', () => {
    const recorder = new Recorder(101);
    for (let value = 0; value < 101; value++) recorder.record(value);
    expect(recorder.finish().kind).toBe('raw');
    for (let value = 101; value < 211; value++) recorder.record(value + 0.9);
    expect(recorder.count).toBe(211);
    for (const samples of [recorder.finish(), recorder.finish()]) {
      if (samples.kind !== 'histogram') throw new Error('still raw');
      expect(samples.histogram.totalCount).toBe(211);
      for (let value = 0; value < 211; value++) expect(samples.histogram.getCountAtIndex(value)).toBe(1);
    }
  });

  it('holds the whole range in a histogram', () => {
    const recorder = new Recorder(0);
    recorder.record(2 ** 32 - 1);
    recorder.record(0);
    const samples = recorder.finish();
    expect(samples.kind === 'histogram' && samples.histogram.getValueAtPercentile(100)).toBe(2 ** 32 - 1);
  });

  it.each([0, 3])('throws on what is no sample, with a bound of %d', (bound) => {
    const recorder = new Recorder(bound);
    for (const value of [-1, -0.5, 2 ** 32, 2 ** 32 - 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => recorder.record(value)).toThrow(RangeError);
    }
    expect(recorder.count).toBe(0);
  });
});

const size = 13;

it('keeps its columns apart, to the last entry', () => {
  const board = new StampTable(size);
  board.intendedAtNs.fill(2);
  board.sentAtNs.fill(3);
  board.ackAtNs.fill(5);
  board.state.fill(7);
  expect([...board.intendedAtNs]).toEqual(Array(size).fill(2));
  expect([...board.sentAtNs]).toEqual(Array(size).fill(3));
  expect([...board.ackAtNs]).toEqual(Array(size).fill(5));
  expect([...board.state]).toEqual(Array(size).fill(7));
});

it('shows all who hold its buffer the same stamps', () => {
  const publisher = new StampTable(size);
  const worker = new StampTable(size, publisher.buffer);
  publisher.sentAtNs[11] = 1_000_003.5;
  publisher.state[11] = 2;
  expect([worker.sentAtNs[11], worker.state[11], worker.sentAtNs[10]]).toEqual([1_000_003.5, 2, 0]);
});

it('begins with nothing sent, also for no broadcasts at all', () => {
  expect([...new StampTable(3).state]).toEqual([0, 0, 0]);
  expect(new StampTable(0).size).toBe(0);
});
