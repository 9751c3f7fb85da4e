import { endianness } from 'node:os';
import { opcode } from '../frames/masked-frame.js';
import type { SendMessage } from '../wire.js';
import { commandKind } from './addon.js';

/** Places of the fields of `struct command` in native/src/engine.h, and its size. */
const at = { kind: 0, token: 4, dueNs: 8, slot: 16, generation: 20, length: 24, opcode: 28 } as const;
const commandBytes = 32;
const isLittle = endianness() === 'LE';
const usualBytes = 65_536;

/** Posts for one thread, each a command with its bytes behind it. Allocates nothing per post. */
export class PostBatch {
  #bytes = Buffer.allocUnsafeSlow(usualBytes);
  #view = viewOf(this.#bytes);
  #length = 0;

  /** `hand` gets all posts in a row. The bytes are valid only during the call. */
  constructor(private readonly hand: (bytes: Uint8Array, length: number) => void) {}

  add(slot: number, generation: number, message: SendMessage, dueNs: number, token: number): void {
    this.#reserve(commandBytes + mostBytesOf(message));
    const from = this.#length;
    const length = this.#write(message, from + commandBytes);
    const view = this.#view;
    view.setInt32(from + at.kind, commandKind.post, isLittle);
    view.setInt32(from + at.token, token, isLittle);
    view.setFloat64(from + at.dueNs, dueNs, isLittle);
    view.setInt32(from + at.slot, slot, isLittle);
    view.setUint32(from + at.generation, generation, isLittle);
    view.setUint32(from + at.length, length, isLittle);
    view.setUint8(from + at.opcode, message instanceof Uint8Array ? opcode.binary : opcode.text);
    this.#length = from + commandBytes + length;
  }

  #write(message: SendMessage, from: number): number {
    if (typeof message === 'string') return this.#bytes.write(message, from);
    if (!(message instanceof Uint8Array)) return message.write(this.#bytes, from);
    this.#bytes.set(message, from);
    return message.length;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    this.flush();
    if (bytes <= this.#bytes.length) return;
    this.#bytes = Buffer.allocUnsafeSlow(bytes);
    this.#view = viewOf(this.#bytes);
  }

  flush(): void {
    if (this.#length > 0) this.hand(this.#bytes, this.#length);
    this.#length = 0;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** A code unit of a string is at most three bytes of UTF-8. */
function mostBytesOf(message: SendMessage): number {
  if (typeof message === 'string') return message.length * 3;
  return message instanceof Uint8Array ? message.length : message.mostBytes;
}
