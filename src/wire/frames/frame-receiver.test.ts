import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { type FrameHandler, FrameReceiver } from './frame-receiver.js';
import { opcode } from './masked-frame.js';
import { SequenceScan } from './sequence-scan.js';

const rule = { marker: '#n', sequenceOffset: 2, sequenceDigits: 3 };
const largestMessage = 70_001;

/** Writes every event down as text, copying what is valid only during the call. */
class Recorder implements FrameHandler {
  readonly events: string[] = [];
  readonly flags: number[] = [];

  delivery(sequence: number, flags: number, bytes: Buffer, start: number, end: number, isBinary: boolean): void {
    this.flags.push(flags);
    const first = bytes.toString('latin1', start, start + 3);
    this.events.push(`${isBinary ? 'binary ' : ''}delivery ${sequence} of ${end - start} from ${first}`);
  }

  message(bytes: Uint8Array, isBinary: boolean): void {
    const text = Buffer.from(bytes);
    const shown = text.length > 40 ? `${text.length} bytes` : isBinary ? text.toString('hex') : text.toString();
    this.events.push(`${isBinary ? 'binary' : 'text'} ${shown}`);
  }

  ping(payload: Uint8Array): void {
    this.events.push(`ping ${Buffer.from(payload).toString('hex')}`);
  }

  closeReceived(code: number, reason: string): void {
    this.events.push(`close ${code} ${reason}`.trimEnd());
  }

  failed(code: number, why: string): void {
    this.events.push(`fail ${code} ${why}`);
  }
}

/** Feeds each chunk out of one shared buffer that holds the leavings of earlier reads, as an engine does. */
function receive(chunks: readonly Buffer[]): Recorder {
  const recorder = new Recorder();
  const receiver = new FrameReceiver(recorder, new SequenceScan(rule), largestMessage);
  const shared = Buffer.alloc(200_003, '#n999');
  for (const chunk of chunks) {
    chunk.copy(shared, 0);
    receiver.receive(shared, 0, chunk.length);
  }
  return recorder;
}

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const ascii = (text: string) => Buffer.from(text).toString('hex');
const ofLength = (head: string, length: number, byte = 0x61) => Buffer.concat([hex(head), Buffer.alloc(length, byte)]);

/** A text of one letter and otherwise empty frames. */
const fragments = (count: number) =>
  Buffer.concat([hex('01 01 61'), ...Array.from({ length: count - 2 }, () => hex('00 00')), hex('80 00')]);

describe('frames in, events out', () => {
  const table: [name: string, bytes: Buffer, events: string[]][] = [
    ['empty text', hex('81 00'), ['text ']],
    ['text of RFC 6455, 5.7', hex('81 05 48656c6c6f'), ['text Hello']],
    ['fragmented text of RFC 6455, 5.7', hex('01 03 48656c 80 02 6c6f'), ['text Hello']],
    ['text of 125 bytes', ofLength('81 7d', 125), ['text 125 bytes']],
    ['text of 126 bytes, 16-bit length', ofLength('81 7e 007e', 126), ['text 126 bytes']],
    ['text of 65,535 bytes, 16-bit length', ofLength('81 7e ffff', 65_535), ['text 65535 bytes']],
    ['text of 65,536 bytes, 64-bit length', ofLength('81 7f 0000000000010000', 65_536), ['text 65536 bytes']],
    ['binary that is not UTF-8', hex('82 03 fffe00'), ['binary fffe00']],
    ['two messages in one read', hex('81 01 61 82 01 07'), ['text a', 'binary 07']],
    ['text of several bytes a character', hex('81 04 cebb c3a9'), ['text λé']],
    ['a character cut by fragments', hex('01 01 ce 80 01 ba'), ['text κ']],
    ['empty fragments', hex('01 00 00 00 80 00'), ['text ']],
    ['as many fragments as ws takes', fragments(16_384), ['text a']],
    ['one fragment more', fragments(16_385), ['fail 1008 too many fragments']],
    ['message of the largest size', ofLength('82 7f 0000000000011171', 70_001), ['binary 70001 bytes']],

    ['ping without payload', hex('89 00'), ['ping ']],
    ['ping of 125 bytes', ofLength('89 7d', 125, 0xfe), [`ping ${'fe'.repeat(125)}`]],
    ['pong nobody asked for', hex('8a 02 0102 81 01 61'), ['text a']],
    ['ping between fragments', hex('01 01 61 89 01 07 80 01 62'), ['ping 07', 'text ab']],
    ['ping of 126 bytes', ofLength('89 7e 007e', 126), ['fail 1002 oversized control frame']],
    ['ping of 1 byte, 16-bit length', hex('89 7e 0001 61'), ['fail 1002 oversized control frame']],
    ['close of 2 bytes, 64-bit length', hex('88 7f 0000000000000002 03e8'), ['fail 1002 oversized control frame']],
    ['pong without payload, 16-bit length', hex('8a 7e 0000'), ['fail 1002 oversized control frame']],
    ['text of 1 byte, 16-bit length, which ws takes too', hex('81 7e 0001 61'), ['text a']],
    ['fragmented ping', hex('09 01 61'), ['fail 1002 fragmented control frame']],

    ['RSV1', hex('c1 01 61'), ['fail 1002 reserved bits set']],
    ['RSV2 on a ping', hex('a9 00'), ['fail 1002 reserved bits set']],
    ['RSV3', hex('91 01 61'), ['fail 1002 reserved bits set']],
    ['reserved data opcode', hex('83 00'), ['fail 1002 reserved opcode']],
    ['reserved control opcode', hex('8b 00'), ['fail 1002 reserved opcode']],
    ['masked by the server', hex('81 85 37fa213d 7f9f4d5158'), ['fail 1002 masked by the server']],
    ['continuation of nothing', hex('80 01 61'), ['fail 1002 continuation of nothing']],
    [
      'continuation after the last fragment',
      hex('01 01 61 80 01 62 80 01 63'),
      ['text ab', 'fail 1002 continuation of nothing'],
    ],
    ['text inside a fragmented text', hex('01 01 61 81 01 62'), ['fail 1002 message inside a fragmented message']],
    ['nothing after a violation', hex('81 01 61 c1 01 62 81 01 63'), ['text a', 'fail 1002 reserved bits set']],

    ['text that is not UTF-8', hex('81 02 c328'), ['fail 1007 text is not UTF-8']],
    ['fragmented text that is not UTF-8', hex('01 01 ed 80 02 a080'), ['fail 1007 text is not UTF-8']],
    ['one byte over the largest size', hex('82 7f 0000000000011172'), ['fail 1009 message too big']],
    ['64-bit length beyond every number', hex('82 7f ffffffffffffffff'), ['fail 1009 message too big']],
    [
      'fragments over the largest size',
      Buffer.concat([ofLength('02 7e fde8', 65_000), hex('80 7e 138a')]),
      ['fail 1009 message too big'],
    ],

    ['close without a code', hex('88 00'), ['close 1005']],
    ['close 1000', hex('88 02 03e8'), ['close 1000']],
    ['close 1008 with a reason', hex(`88 05 03f0 ${ascii('bye')}`), ['close 1008 bye']],
    ['a reason with an escape sequence', hex(`88 08 03f0 ${ascii('\u001B[31mA')}`), ['close 1008 A']],
    ['close 3000', hex('88 02 0bb8'), ['close 3000']],
    ['close 4999', hex('88 02 1387'), ['close 4999']],
    ['nothing after a close', hex('88 02 03e8 81 01 61'), ['close 1000']],
    ['close between fragments', hex('01 01 61 88 02 03e9'), ['close 1001']],
    ['close of one byte', hex('88 01 03'), ['fail 1002 bad close code']],
    ['close reason that is not UTF-8', hex('88 04 03e8 c328'), ['fail 1007 close reason is not UTF-8']],
    ['close of 126 bytes', hex('88 7e 007e'), ['fail 1002 oversized control frame']],
    ...[0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535].map((code): [string, Buffer, string[]] => [
      `close ${code}`,
      hex(`88 02 ${code.toString(16).padStart(4, '0')}`),
      ['fail 1002 bad close code'],
    ]),

    ['delivery', hex(`81 0a ${ascii('{"a":#n042')}`), ['delivery 42 of 10 from {"a']],
    ['binary delivery', hex(`82 05 ${ascii('#n007')}`), ['binary delivery 7 of 5 from #n0']],
    [
      'delivery over two fragments',
      hex(`01 06 ${ascii('{"a":#')} 80 04 ${ascii('n042')}`),
      ['delivery 42 of 10 from {"a'],
    ],
    ['delivery that is not UTF-8', hex(`81 06 ${ascii('#n042')} ff`), ['delivery 42 of 6 from #n0']],
    ['marker without its digits', hex(`81 04 ${ascii('#n04')} 81 05 ${ascii('#n0x2')}`), ['text #n04', 'text #n0x2']],
  ];

  it.each(table)('%s', (_name, bytes, events) => expect(receive([bytes]).events).toEqual(events));

  it.each(table)('%s, byte by byte', (_name, bytes, events) =>
    expect(receive(Array.from(bytes, (byte) => Buffer.of(byte))).events).toEqual(events),
  );
});

describe('flags of deliveries', () => {
  const one = `81 05 ${ascii('#n001')}`;
  const cases: [name: string, chunks: Buffer[], flags: number[]][] = [
    ['alone in its read', [hex(one), hex(one)], [0, 0]],
    ['behind another in its read', [hex(one + one + one)], [0, 1, 1]],
    ['behind a ping in its read', [hex(`8900 ${one}`)], [1]],
    ['cut by a read', [hex(one).subarray(0, 4), hex(one).subarray(4)], [2]],
    [
      'cut by a read, then one behind it',
      [hex(one).subarray(0, 1), Buffer.concat([hex(one).subarray(1), hex(one)])],
      [2, 1],
    ],
    ['cut by a read behind another', [hex(one + one).subarray(0, 9), hex(one).subarray(2)], [0, 2]],
    ['in two fragments of one read', [hex(`01 02 ${ascii('#n')} 80 03 ${ascii('001')}`)], [3]],
    ['in two fragments of two reads', [hex(`01 02 ${ascii('#n')}`), hex(`80 03 ${ascii('001')}`)], [2]],
  ];

  it.each(cases)('%s', (_name, chunks, flags) => expect(receive(chunks).flags).toEqual(flags));

  it('counts what came before the frames of a read', () => {
    const recorder = new Recorder();
    new FrameReceiver(recorder, new SequenceScan(rule), largestMessage).receive(hex(one), 0, 7, true);
    expect(recorder.flags).toEqual([1]);
  });
});

it('ignores the rest of a read once it was stopped by what it told', () => {
  const recorder = new Recorder();
  const receiver = new FrameReceiver(recorder, new SequenceScan(rule), largestMessage);
  recorder.ping = () => receiver.stop();
  receiver.receive(hex('81 01 61 89 00 81 01 62'), 0, 8);
  receiver.receive(hex('81 01 63'), 0, 3);
  expect(recorder.events).toEqual(['text a']);
});

// --- any cut of the bytes gives the same events

function frame(op: number, payload: Buffer, isFinal: boolean): Buffer {
  const first = (isFinal ? 0x80 : 0) | op;
  if (payload.length < 126) return Buffer.concat([Buffer.of(first, payload.length), payload]);
  const head = Buffer.alloc(4);
  head.writeUInt16BE((first << 8) | 126, 0);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

interface Scripted {
  bytes: Buffer;
  events: string[];
}

const text: fc.Arbitrary<Scripted> = fc
  .tuple(
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('x'.repeat(131))),
    fc.array(fc.nat(13), { maxLength: 3 }),
    fc.boolean(),
  )
  .map(([content, cuts, isPinged]) => {
    const payload = Buffer.from(content);
    const edges = [0, ...cuts.map((cut) => Math.min(cut, payload.length)), payload.length].sort((a, b) => a - b);
    const frames = edges.slice(1).map((edge, i, all) => {
      const op = i === 0 ? opcode.text : opcode.continuation;
      return frame(op, payload.subarray(edges[i], edge), i === all.length - 1);
    });
    const ping = isPinged && frames.length > 1;
    if (ping) frames.splice(1, 0, frame(opcode.ping, Buffer.of(7), true));
    const shown = payload.length > 40 ? `${payload.length} bytes` : content;
    return { bytes: Buffer.concat(frames), events: [...(ping ? ['ping 07'] : []), `text ${shown}`] };
  });

const delivery: fc.Arbitrary<Scripted> = fc.tuple(fc.nat(999), fc.nat(151)).map(([sequence, padding]) => {
  const payload = Buffer.from(`${' '.repeat(padding)}abc#n${String(sequence).padStart(3, '0')}`);
  const from = payload.toString('latin1', 0, 3);
  return {
    bytes: frame(opcode.text, payload, true),
    events: [`delivery ${sequence} of ${payload.length} from ${from}`],
  };
});

const ending: fc.Arbitrary<Scripted> = fc.constantFrom(
  { bytes: hex('88 02 03e8'), events: ['close 1000'] },
  { bytes: hex('c1 01 61'), events: ['fail 1002 reserved bits set'] },
  { bytes: hex('81 02 c328'), events: ['fail 1007 text is not UTF-8'] },
);

it('gives the same events for any cut of the bytes into reads', () => {
  const noMarker = (script: Scripted) =>
    !script.events.some((event) => event.startsWith('text') && event.includes('#n'));
  law(
    fc.array(fc.oneof(text.filter(noMarker), delivery), { maxLength: 11 }),
    ending,
    fc.array(fc.integer({ min: 1, max: 67 }), { minLength: 1, maxLength: 17 }),
    (scripts, last, sizes) => {
      const bytes = Buffer.concat([...scripts, last].map((script) => script.bytes));
      const chunks: Buffer[] = [];
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = sizes[i % sizes.length]!;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(receive(chunks).events).toEqual([...scripts, last].flatMap((script) => script.events));
    },
  );
});
