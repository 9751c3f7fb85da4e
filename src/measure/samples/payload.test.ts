import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accumulate, deltasOf, minPayloadBytes, packVarints, payloadFormat, unpackVarints } from './payload.js';

const runId = '0badc0de';
const format = payloadFormat(runId, 211);
const sequences = fc.nat({ max: 999_999_999 });

describe('payloadFormat', () => {
  it('writes what it says, to the byte', () => {
    expect(payloadFormat(runId, minPayloadBytes + 3).text(7, 1009)).toBe('{"m":"ringside:0badc0de:007:000001009:xxx"}');
    fc.assert(
      fc.property(fc.nat({ max: 999 }), sequences, fc.nat({ max: 1009 }), (shard, sequence, padding) => {
        const text = payloadFormat(runId, minPayloadBytes + padding).text(shard, sequence);
        expect(Buffer.byteLength(text)).toBe(minPayloadBytes + padding);
        expect(JSON.parse(text)).toEqual({ m: expect.stringContaining(`ringside:${runId}:`) });
      }),
    );
  });

  it('finds the sequence number however the text is wrapped', () => {
    fc.assert(
      fc.property(sequences, fc.string(), fc.string(), (sequence, before, after) => {
        const text = format.text(13, sequence);
        expect(format.sequenceOf(text)).toBe(sequence);
        expect(format.sequenceOf(JSON.stringify([before, { data: text }, after]))).toBe(sequence);
      }),
    );
  });

  it('agrees with the scan rule it gives', () => {
    fc.assert(
      fc.property(sequences, (sequence) => {
        const text = format.text(13, sequence);
        const at = text.indexOf(format.marker) + format.sequenceOffset;
        expect(Number(text.slice(at, at + format.sequenceDigits))).toBe(sequence);
      }),
    );
  });

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
  ])('throws on run id %s and %d bytes', (id, bytes) => {
    expect(() => payloadFormat(id, bytes)).toThrow(RangeError);
  });

  it.each([
    [1000, 0],
    [-1, 0],
    [0.5, 0],
    [0, 1_000_000_000],
    [0, -1],
  ])('throws on shard %d, sequence %d', (shard, sequence) => {
    expect(() => format.text(shard, sequence)).toThrow(RangeError);
  });
});

const values = fc.uint32Array({ maxLength: 101 });

it('packs seven bits to a byte, least first', () => {
  expect([...packVarints(Uint32Array.of(0, 127, 128, 300, 2 ** 32 - 1))]).toEqual([
    0x00, 0x7f, 0x80, 0x01, 0xac, 0x02, 0xff, 0xff, 0xff, 0xff, 0x0f,
  ]);
});

it('unpacks what it packs', () => {
  fc.assert(
    fc.property(values, (list) => {
      expect(unpackVarints(packVarints(list), list.length)).toEqual(list);
      expect(accumulate(deltasOf(list.slice().sort()))).toEqual(list.slice().sort());
    }),
  );
});

it('throws where another count is announced', () => {
  const bytes = packVarints(Uint32Array.of(7, 300));
  for (const count of [0, 1, 3, 2 ** 40]) expect(() => unpackVarints(bytes, count)).toThrow(/announced/);
  expect(() => unpackVarints(bytes.subarray(0, 2), 2)).toThrow(/announced/);
});
