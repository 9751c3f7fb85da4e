import type { ScanRule } from '../wire.js';

const zero = 0x30;

/** Finds sequence numbers by the bytes of a marker, without decoding. One per engine: it remembers where it was. */
export class SequenceScan {
  private readonly marker: Buffer;
  private readonly sequenceOffset: number;
  private readonly sequenceDigits: number;
  /** Place of the marker in the last delivery. The next delivery nearly always has the same. */
  private expectedAt = 0;
  private readonly isDelivery: ScanRule['isDelivery'];
  private readonly acknowledgement: Buffer;
  /** Distance by which the word moves on when that byte is under its end (Horspool 1980). */
  private readonly shift: Uint32Array;

  /** Throws a `RangeError` for more digits than a 32-bit number has, or none. */
  constructor(rule: ScanRule) {
    if (rule.sequenceDigits < 1 || rule.sequenceDigits > 9) {
      throw new RangeError(`a scan rule has ${rule.sequenceDigits} digits: expected 1 to 9`);
    }
    this.marker = Buffer.from(rule.marker);
    this.sequenceOffset = rule.sequenceOffset;
    this.sequenceDigits = rule.sequenceDigits;
    this.isDelivery = rule.isDelivery;
    this.acknowledgement = Buffer.from(rule.acknowledgement ?? '');
    const last = this.acknowledgement.length - 1;
    this.shift = new Uint32Array(256).fill(last + 1);
    for (let at = 0; at < last; at++) this.shift[this.acknowledgement[at]!] = last - at;
  }

  /** Returns true if the message `bytes[start, end)` with a number is an acknowledgement. Allocates nothing. */
  isAcknowledgement(bytes: Buffer, start: number, end: number): boolean {
    const word = this.acknowledgement;
    if (word.length === 0) return false;
    for (let at = start + word.length - 1; at < end; at += this.shift[bytes[at]!]!) {
      let back = 0;
      while (back < word.length && bytes[at - back] === word[word.length - 1 - back]) back++;
      if (back === word.length) return true;
    }
    return false;
  }

  /** Returns the sequence number in the message `bytes[start, end)`, or -1 if the message is no delivery. */
  find(bytes: Buffer, start: number, end: number): number {
    const sequence = this.marker.length === 0 ? -1 : this.sequenceIn(bytes, start, end);
    return sequence === -1 || this.isDelivery === undefined || this.isDelivery(bytes, start, end) ? sequence : -1;
  }

  private sequenceIn(bytes: Buffer, start: number, end: number): number {
    const expected = start + this.expectedAt;
    if (this.isMarkerAt(bytes, expected, end)) return this.sequenceAt(bytes, expected, end);
    // The view bounds the search: behind `end` are leftovers of other reads.
    const at = bytes.subarray(start, end).indexOf(this.marker);
    if (at === -1) return -1;
    const sequence = this.sequenceAt(bytes, start + at, end);
    if (sequence !== -1) this.expectedAt = at;
    return sequence;
  }

  private isMarkerAt(bytes: Buffer, at: number, end: number): boolean {
    const marker = this.marker;
    if (at + marker.length > end) return false;
    for (let i = 0; i < marker.length; i++) if (bytes[at + i] !== marker[i]) return false;
    return true;
  }

  private sequenceAt(bytes: Buffer, markerAt: number, end: number): number {
    const first = markerAt + this.sequenceOffset;
    const last = first + this.sequenceDigits;
    if (last > end) return -1;
    let sequence = 0;
    for (let i = first; i < last; i++) {
      const digit = bytes[i]! - zero;
      if (digit < 0 || digit > 9) return -1;
      sequence = sequence * 10 + digit;
    }
    return sequence;
  }
}
