import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { packVarints, unpackVarints } from './encoding.js';
import { minPayloadBytes, payloadFormat } from './payload.js';
import { Recorder, StampTable } from './recorder.js';

const micros = fc.double({ min: 0, max: 2 ** 32 - 1, noNaN: true });

describe('Recorder', () => {
  it('keeps every sample, floored and sorted', () =>
    law(fc.array(micros), (values) => {
      const recorder = new Recorder();
      for (const value of values) recorder.record(value);
      expect(recorder.count).toBe(values.length);
      expect(recorder.finish()).toEqual({ kind: 'raw', values: Uint32Array.from(values.map(Math.floor)).sort() });
    }));

  it('keeps them over many chunks, and goes on after a finish', () => {
    const recorder = new Recorder();
    const total = 200_003;
    for (let value = 0; value < total; value++) {
      if (value === 131_072) expect(recorder.finish()).toMatchObject({ values: { length: 131_072 } });
      recorder.record(total - 1 - value);
    }
    const samples = recorder.finish();
    if (samples.kind !== 'raw') throw new Error('not raw');
    expect([samples.values.length, samples.values.findIndex((value, at) => value !== at)]).toEqual([total, -1]);
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

const runId = '0badc0de';

const format = payloadFormat(runId, 211);

const sequences = fc.nat({ max: 999_999_999 });

describe('payloadFormat', () => {
  it('writes what it says, to the byte', () => {
    expect(payloadFormat(runId, minPayloadBytes + 3).text(7, 1009)).toBe('{"m":"ringside:0badc0de:007:000001009:xxx"}');
    law(fc.nat({ max: 999 }), sequences, fc.nat({ max: 1009 }), (shard, sequence, padding) => {
      const text = payloadFormat(runId, minPayloadBytes + padding).text(shard, sequence);
      expect(Buffer.byteLength(text)).toBe(minPayloadBytes + padding);
      expect(JSON.parse(text)).toEqual({ m: expect.stringContaining(`ringside:${runId}:`) });
    });
  });

  it('finds the sequence number however the text is wrapped', () =>
    law(sequences, fc.string(), fc.string(), (sequence, before, after) => {
      const text = format.text(13, sequence);
      expect(format.sequenceOf(text)).toBe(sequence);
      expect(format.sequenceOf(JSON.stringify([before, { data: text }, after]))).toBe(sequence);
    }));

  it('gives -1 for what is not of this run', () => {
    const text = format.text(3, 17);
    expect(payloadFormat('0badc0df', 211).sequenceOf(text)).toBe(-1);
    expect(format.sequenceOf('')).toBe(-1);
    expect(format.sequenceOf('{"type":"ping"}')).toBe(-1);
    expect(format.sequenceOf(text.replace('000000017', '0000000 7'))).toBe(-1);
    const lastDigit = text.indexOf('000000017') + 8;
    expect(format.sequenceOf(text.slice(0, lastDigit))).toBe(-1);
    expect(format.sequenceOf(text.slice(0, lastDigit + 1))).toBe(17);
  });

  it.each([
    ['0BADC0DE', 211],
    ['0badc0d', 211],
    [runId, minPayloadBytes - 1],
    [runId, 211.5],
    [runId, Number.NaN],
  ])('throws on run id %s and %d bytes', (id, bytes) => expect(() => payloadFormat(id, bytes)).toThrow(RangeError));

  it.each([
    [1000, 0],
    [-1, 0],
    [0.5, 0],
    [0, 1_000_000_000],
    [0, -1],
  ])('throws on shard %d, sequence %d', (shard, sequence) =>
    expect(() => format.text(shard, sequence)).toThrow(RangeError),
  );
});

it('throws where another count is announced', () => {
  const bytes = packVarints(Uint32Array.of(7, 300));
  for (const count of [0, 1, 3, 2 ** 40]) expect(() => unpackVarints(bytes, count)).toThrow(/announced/);
  expect(() => unpackVarints(bytes.subarray(0, 2), 2)).toThrow(/announced/);
});
