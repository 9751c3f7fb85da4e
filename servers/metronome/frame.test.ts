import { expect, it } from 'vitest';
import { FrameReceiver, SequenceScan } from '../../src/wire/frames/frame-receiver.js';
import { pongFrame, textFrame } from './frame.js';

it.each([0, 1, 125, 126, 127, 65_535, 65_536, 70_001])('is read as the text that it holds, of %d bytes', (length) => {
  const texts: string[] = [];
  const failed = (_code: number, why: string) => void texts.push(why);
  const message = (bytes: Uint8Array, isBinary: boolean) => void texts.push(`${isBinary}${Buffer.from(bytes)}`);
  const ignore = () => undefined;
  const handler = { delivery: ignore, message, ping: ignore, closeReceived: ignore, failed };
  const scan = new SequenceScan({ marker: 'none', sequenceOffset: 0, sequenceDigits: 1 });
  const frame = textFrame('x'.repeat(length));
  new FrameReceiver(handler, scan, 1_000_000).receive(frame, 0, frame.length);
  expect(texts).toEqual([`false${'x'.repeat(length)}`]);
});

it('answers a ping with its payload', () => {
  expect(pongFrame(Buffer.from('abc')).toString('hex')).toBe('8a03616263');
});
