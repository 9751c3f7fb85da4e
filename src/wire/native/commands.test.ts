import { expect, it } from 'vitest';
import type { SendMessage } from '../wire.js';
import { PostBatch } from './commands.js';

/** The posts of a batch as the thread reads them: 32 bytes of fields, and the bytes of the message. */
function read(bytes: Uint8Array, length: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  const posts = [];
  for (let at = 0; at < length; ) {
    const size = view.getUint32(at + 24, true);
    posts.push({
      fields: [view.getInt32(at, true), view.getInt32(at + 4, true), view.getFloat64(at + 8, true)],
      of: [view.getInt32(at + 16, true), view.getUint32(at + 20, true)],
      opcode: view.getUint8(at + 28),
      text: Buffer.from(bytes.subarray(at + 32, at + 32 + size)).toString(),
    });
    at += 32 + size;
  }
  return posts;
}

it('writes posts in a row, of text, bytes and what writes itself', () => {
  const handed: ReturnType<typeof read>[] = [];
  const batch = new PostBatch((bytes, length) => handed.push(read(bytes, length)));
  const itself: SendMessage = {
    mostBytes: 9,
    write: (into, at) => {
      into.set(Buffer.from('self'), at);
      return 4;
    },
  };
  batch.add(3, 7, 'é', 1e9 + 0.5, 11);
  batch.add(4, 8, itself, 2e9, 12);
  batch.add(5, 9, Buffer.from('bytes'), 3e9, 13);
  batch.flush();
  batch.flush();
  expect(handed).toEqual([
    [
      { fields: [2, 11, 1e9 + 0.5], of: [3, 7], opcode: 1, text: 'é' },
      { fields: [2, 12, 2e9], of: [4, 8], opcode: 1, text: 'self' },
      { fields: [2, 13, 3e9], of: [5, 9], opcode: 2, text: 'bytes' },
    ],
  ]);
});

it('hands over early what it has no room for, whatever its size', () => {
  const handed: number[] = [];
  const batch = new PostBatch((bytes, length) => handed.push(...read(bytes, length).map(({ text }) => text.length)));
  for (const length of [40_000, 40_000, 200_000, 5]) batch.add(0, 0, Buffer.alloc(length), 1, 1);
  batch.flush();
  expect(handed).toEqual([40_000, 40_000, 200_000, 5]);
});
