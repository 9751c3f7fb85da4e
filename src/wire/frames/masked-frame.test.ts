import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { closeCode, closeFrame, maskedPong, messageFrame } from './masked-frame.js';
import { SequenceScan } from './sequence-scan.js';

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

  it('comes back from masking as it was', () =>
    law(fc.string({ unit: 'grapheme' }), (text) => {
      const { first, payload } = unmask(messageFrame(text));
      expect(first).toBe(0x81);
      expect(payload.toString()).toBe(text);
    }));

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
  expect(unmask(closeFrame(closeCode.none))).toMatchObject({ first: 0x88, payload: Buffer.alloc(0) });
  expect(unmask(closeFrame(4003, 'bé')).payload.toString('hex')).toBe('0fa362c3a9');
});

it('cuts a reason that a control frame has no room for, between characters', () => {
  const { payload } = unmask(closeFrame(1000, `${'x'.repeat(122)}éx`));
  expect(payload.subarray(2).toString()).toBe('x'.repeat(122));
});

const rule = { marker: '"n":', sequenceOffset: 5, sequenceDigits: 7 };

function find(scan: SequenceScan, text: string, before = '', behind = ''): number {
  const bytes = Buffer.from(before + text + behind);
  return scan.find(bytes, Buffer.byteLength(before), Buffer.byteLength(before + text));
}

it('finds a number wherever its marker stands, and again at the same place', () => {
  const scan = new SequenceScan(rule);
  expect(find(scan, '{"n":"0000013","p":1}')).toBe(13);
  expect(find(scan, '{"n":"9999991","p":1}')).toBe(9_999_991);
  expect(find(scan, '{"longer":17,"n":"0000019"}')).toBe(19);
  expect(find(scan, '{"n":"0000023"}')).toBe(23);
});

it('looks at nothing outside the message', () => {
  const scan = new SequenceScan(rule);
  const delivery = '{"n":"0000029"}';
  expect(find(scan, delivery)).toBe(29);
  expect(find(scan, '{"type":"ping"}', delivery, delivery)).toBe(-1);
  expect(find(scan, '', delivery, delivery)).toBe(-1);
  expect(find(scan, '{"n":"000002', '', '9"}')).toBe(-1);
  expect(find(scan, '{"n', '', '":"0000029"}')).toBe(-1);
});

it('takes no message for a delivery without all its digits', () => {
  const scan = new SequenceScan(rule);
  expect(find(scan, '{"n":"00000a1"}')).toBe(-1);
  expect(find(scan, '{"n":"0000 31"}')).toBe(-1);
  expect(find(scan, '{"n":"0000031"}')).toBe(31);
});

it('finds nothing without a marker', () =>
  expect(find(new SequenceScan({ ...rule, marker: '' }), '0000013000001300000')).toBe(-1));

it('leaves it to the rule which of them are deliveries', () => {
  const isDelivery = (bytes: Uint8Array, start: number, end: number): boolean =>
    Buffer.from(bytes.subarray(start, end)).toString().startsWith('{"n"');
  const scan = new SequenceScan({ ...rule, isDelivery });
  expect(find(scan, '{"n":"0000013"}', 'before', 'behind')).toBe(13);
  expect(find(scan, '["n":"0000013"]', '{', '}')).toBe(-1);
});

it('gives back any number at any place, whatever came before', () =>
  law(fc.array(fc.tuple(fc.nat(9_999_999), fc.nat(37)), { minLength: 1, maxLength: 7 }), (deliveries) => {
    const scan = new SequenceScan(rule);
    for (const [sequence, padding] of deliveries) {
      expect(find(scan, `${'.'.repeat(padding)}"n":"${String(sequence).padStart(7, '0')}"`, 'xyz', '"n":')).toBe(
        sequence,
      );
    }
  }));

it('refuses a rule that can name no sequence number', () => {
  expect(() => new SequenceScan({ ...rule, sequenceDigits: 0 })).toThrow(RangeError);
  expect(() => new SequenceScan({ ...rule, sequenceDigits: 10 })).toThrow(RangeError);
});

describe('acknowledgements', () => {
  const acknowledgement = 'broadcastResult';
  const isOne = (text: string, before = '', behind = ''): boolean => {
    const bytes = Buffer.from(before + text + behind);
    const scan = new SequenceScan({ ...rule, acknowledgement });
    return scan.isAcknowledgement(bytes, Buffer.byteLength(before), Buffer.byteLength(before + text));
  };

  it('are told by their word, wherever it stands in the message, and only there', () =>
    law(fc.string(), fc.string(), fc.nat(14), (left, right, cut) => {
      const around = `${left}${acknowledgement}${right}`;
      expect(isOne(around)).toBe(true);
      expect(isOne(`${left}${right}`, acknowledgement, acknowledgement)).toBe(
        `${left}${right}`.includes(acknowledgement),
      );
      const [head, tail] = [acknowledgement.slice(0, cut), acknowledgement.slice(cut)];
      if (cut > 0) expect(isOne(`${head}-${tail}`, head, tail)).toBe(false);
    }));

  it('are none where the rule names no word', () => {
    const bytes = Buffer.from(acknowledgement);
    expect(new SequenceScan(rule).isAcknowledgement(bytes, 0, bytes.length)).toBe(false);
  });
});
