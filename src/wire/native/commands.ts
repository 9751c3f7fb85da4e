import { endianness } from 'node:os';
import { opcode } from '../frames/masked-frame.js';
import type { SendMessage } from '../wire.js';
import { commandKind, type Handle, type NativeAddon } from './addon.js';

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

/** Sends commands of an engine to its threads. A thread ignores commands for a connection that ended. */
export class Commands {
  /** By thread: what is posted in the running callback goes over in one call, which wakes the thread once. */
  readonly #batches: readonly PostBatch[];
  #hasPosts = false;
  #isStopped = false;

  constructor(
    private readonly addon: NativeAddon,
    private readonly handle: Handle,
    threads: number,
  ) {
    this.#batches = Array.from(
      { length: threads },
      (_, thread) => new PostBatch((bytes, length) => addon.post(handle, thread, bytes, length)),
    );
  }

  open(client: number, generation: number, identity: number, request: Uint8Array): void {
    this.#command(commandKind.open, client, generation, identity, 0, request);
  }

  send(client: number, generation: number, message: string | Uint8Array, kind: number): boolean {
    return this.#command(commandKind.send, client, generation, kind, 0, message);
  }

  /** Posts a send of the run that leaves at its instant. */
  post(client: number, generation: number, message: SendMessage, dueNs: number, token: number): void {
    const threads = this.#batches.length;
    this.#batches[client % threads]!.add(Math.floor(client / threads), generation, message, dueNs, token);
    if (this.#hasPosts) return;
    this.#hasPosts = true;
    queueMicrotask(this.#flush);
  }

  /** Drops a connection. `code` is that of a close frame, or 0 for none. */
  drop(client: number, mode: number, code = 0): void {
    this.#command(commandKind.drop, client, 0, mode, code);
  }

  /** Lets a client read so many bytes at most from now on. */
  readAtMost(client: number, generation: number, bytes: number): void {
    this.#command(commandKind.read, client, generation, 0, Math.min(bytes, Number.MAX_SAFE_INTEGER));
  }

  /** Confirms that the first `judged` items from the thread are valid. Answers to them were sent before. */
  trust(client: number, generation: number, judged: number): void {
    this.#command(commandKind.trust, client, generation, judged, 0);
  }

  #command(
    kind: number,
    client: number,
    generation: number,
    detail: number,
    number: number,
    message?: string | Uint8Array,
  ): boolean {
    this.#flush();
    return this.addon.command(this.handle, kind, client, generation, detail, number, message);
  }

  readonly #flush = (): void => {
    if (!this.#hasPosts || this.#isStopped) return;
    this.#hasPosts = false;
    for (const batch of this.#batches) batch.flush();
  };

  /** Hands over nothing more. */
  stop(): void {
    this.#isStopped = true;
  }
}
