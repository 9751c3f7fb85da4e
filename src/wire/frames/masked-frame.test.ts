import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closeFrame, maskedPong, messageFrame } from './masked-frame.js';

interface Unmasked {
  first: number;
  payload: Buffer;
  key: string;
}

/** Reads a client's frame as a server does (RFC 6455, section 5.3). */
function unmask(frame: Buffer): Unmasked {
  expect(frame[1]! & 0x80).toBe(0x80);
  const short = frame[1]! & 0x7f;
  const keyAt = short === 126 ? 4 : short === 127 ? 10 : 2;
  const length = short === 126 ? frame.readUInt16BE(2) : short === 127 ? Number(frame.readBigUInt64BE(2)) : short;
  expect(frame.length).toBe(keyAt + 4 + length);
  const key = frame.subarray(keyAt, keyAt + 4);
  const payload = Buffer.from(frame.subarray(keyAt + 4)).map((byte, i) => byte ^ key[i % 4]!);
  return { first: frame[0]!, payload: Buffer.from(payload), key: key.toString('hex') };
}

describe('messageFrame', () => {
  it('sends bytes as a binary message', () => {
    const bytes = Buffer.from('07ff0d', 'hex');
    expect(unmask(messageFrame(bytes))).toMatchObject({ first: 0x82, payload: bytes });
  });

  it('comes back from masking as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const { first, payload } = unmask(messageFrame(text));
        expect(first).toBe(0x81);
        expect(payload.toString()).toBe(text);
      }),
    );
  });

  it.each([
    [125, 6 + 125],
    [126, 8 + 126],
    [65_535, 8 + 65_535],
    [65_536, 14 + 65_536],
  ])('uses the shortest length field for %i bytes', (length, frameLength) => {
    const text = 'x'.repeat(length);
    expect(messageFrame(text).length).toBe(frameLength);
    expect(unmask(messageFrame(text)).payload.toString()).toBe(text);
  });

  it('takes a new key for every frame', () => {
    const keys = new Set(Array.from({ length: 2503 }, () => unmask(messageFrame('')).key));
    // 32-bit keys: a handful may repeat by chance, a reused pool would repeat hundreds.
    expect(keys.size).toBeGreaterThan(2490);
  });
});

it('answers a ping with its own payload', () => {
  const { first, payload } = unmask(maskedPong(Buffer.from('070b0d', 'hex')));
  expect(first).toBe(0x8a);
  expect(payload.toString('hex')).toBe('070b0d');
});

it('closes with and without a code', () => {
  expect(unmask(closeFrame(1002))).toMatchObject({ first: 0x88, payload: Buffer.from('03ea', 'hex') });
  expect(unmask(closeFrame(undefined))).toMatchObject({ first: 0x88, payload: Buffer.alloc(0) });
});
