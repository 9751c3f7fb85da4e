import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SequenceScan } from './frame-receiver.js';

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

it('leaves it to the rule which of them are deliveries', () => {
  const isDelivery = (bytes: Uint8Array, start: number, end: number): boolean =>
    Buffer.from(bytes.subarray(start, end)).toString().startsWith('{"n"');
  const scan = new SequenceScan({ ...rule, isDelivery });
  expect(find(scan, '{"n":"0000013"}', 'before', 'behind')).toBe(13);
  expect(find(scan, '["n":"0000013"]', '{', '}')).toBe(-1);
});

it('gives back any number at any place, whatever came before', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9_999_999), fc.nat(37)), { minLength: 1, maxLength: 7 }), (deliveries) => {
      const scan = new SequenceScan(rule);
      for (const [sequence, padding] of deliveries) {
        expect(find(scan, `${'.'.repeat(padding)}"n":"${String(sequence).padStart(7, '0')}"`, 'xyz', '"n":')).toBe(
          sequence,
        );
      }
    }),
  );
});

it('refuses a rule that can name no sequence number', () => {
  expect(() => new SequenceScan({ ...rule, marker: '' })).toThrow(RangeError);
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

  it('are told by their word, wherever it stands in the message, and only there', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(14), (left, right, cut) => {
        const around = `${left}${acknowledgement}${right}`;
        expect(isOne(around)).toBe(true);
        expect(isOne(`${left}${right}`, acknowledgement, acknowledgement)).toBe(
          `${left}${right}`.includes(acknowledgement),
        );
        const [head, tail] = [acknowledgement.slice(0, cut), acknowledgement.slice(cut)];
        if (cut > 0) expect(isOne(`${head}-${tail}`, head, tail)).toBe(false);
      }),
    );
  });

  it('are none where the rule names no word', () => {
    const bytes = Buffer.from(acknowledgement);
    expect(new SequenceScan(rule).isAcknowledgement(bytes, 0, bytes.length)).toBe(false);
  });
});
