import { objectIn } from '../../units/json-text.js';
import { isBefore, openingQuote } from '../json-tail.js';
import { textOf } from '../talk.js';

/** A client's place in a stream: `epoch` names the target's history, `offset` counts within it. */
export interface StreamPosition {
  offset: number;
  epoch: string;
}

/** A stream in its current epoch; `prefix` ends its delivery frames, up to the offset's digits. */
interface Known extends StreamPosition {
  name: string;
  prefix: Uint8Array;
}

const quote = 0x22;
const zero = 0x30;
const nine = 0x39;
const closingBrace = 0x7d;

const streamKey = Buffer.from('"stream_id":');
const epochKey = Buffer.from(',"epoch":');
const offsetKey = Buffer.from(',"offset":');

/**
 * A client's last position in each stream, read off the end of delivery frames:
 * `{"identifier":…,"message":…,"stream_id":"S","epoch":"E","offset":N}`. The first delivery of a stream or epoch is
 * parsed; later ones only compare bytes and read digits.
 */
export class StreamPositions {
  #known: readonly Known[] = [];

  /** Takes the position from a delivery frame; a frame without one changes nothing. */
  track(bytes: Uint8Array, start: number, end: number): void {
    if (bytes[end - 1] !== closingBrace) return;
    let digits = end - 1;
    let offset = 0;
    for (let scale = 1; digits > start && isDigit(bytes[digits - 1]!); scale *= 10) {
      digits--;
      offset += (bytes[digits]! - zero) * scale;
    }
    if (digits === end - 1) return;
    for (let i = 0; i < this.#known.length; i++) {
      const known = this.#known[i]!;
      if (isBefore(bytes, start, digits, known.prefix)) {
        known.offset = offset;
        return;
      }
    }
    this.#learn(bytes, start, digits, offset);
  }

  of(name: string): StreamPosition | undefined {
    const known = this.#known.find((one) => one.name === name);
    return known && { offset: known.offset, epoch: known.epoch };
  }

  #learn(bytes: Uint8Array, start: number, digits: number, offset: number): void {
    const epochKeyEnd = stringBefore(bytes, start, digits, offsetKey);
    const streamKeyEnd = stringBefore(bytes, start, epochKeyEnd, epochKey);
    if (!isBefore(bytes, start, streamKeyEnd, streamKey)) return;
    const prefix = Buffer.from(bytes.subarray(streamKeyEnd - streamKey.length, digits));
    const tail = objectIn(`{${textOf(prefix)}0}`);
    if (typeof tail?.stream_id !== 'string' || typeof tail.epoch !== 'string') return;
    const others = this.#known.filter(({ name }) => name !== tail.stream_id);
    this.#known = others.concat({ name: tail.stream_id, epoch: tail.epoch, offset, prefix });
  }
}

/** Where the JSON string begins that ends directly before `key`, whose end is `end`; -1 if there is none. */
function stringBefore(bytes: Uint8Array, start: number, end: number, key: Uint8Array): number {
  const closing = end - key.length - 1;
  return isBefore(bytes, start, end, key) && bytes[closing] === quote ? openingQuote(bytes, start, closing) : -1;
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}
