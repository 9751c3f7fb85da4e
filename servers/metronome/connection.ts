import type { Socket } from 'node:net';
import type { Trickle } from '../../src/targets/metronome/orders.js';
import type { Broadcast } from '../broadcast.js';
import type { Subscriptions } from './audience.js';
import type { DialectClient } from './dialects/dialect.js';
import type { DeliveryRecord, RecordedPeer, RecordedPublish } from './record/deeds.js';
import type { Read } from './timing/loop.js';
import type { Pacer, Ringing } from './timing/pacer.js';

const finalText = 0x81;
const finalPong = 0x8a;

/** Encodes a whole unmasked text frame (RFC 6455, section 5.2). */
export function textFrame(text: string): Buffer {
  return frame(finalText, Buffer.from(text));
}

/** Encodes the answer to a ping (RFC 6455, section 5.5.3). */
export function pongFrame(payload: Buffer): Buffer {
  return frame(finalPong, payload);
}

function frame(first: number, payload: Buffer): Buffer {
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.of(first, length), payload]);
  if (length < 65_536) return Buffer.concat([Buffer.of(first, 126, length >>> 8, length & 0xff), payload]);
  const head = Buffer.alloc(10);
  head.writeUInt16BE((first << 8) | 127);
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** A held delivery waits at most this long for the next one, in nanoseconds. */
const heldAtMostNs = 2e9;

export interface Delivery {
  entry: RecordedPublish;
  row: number;
  frame: Buffer;
  /** In nanoseconds of `nowNs()`. */
  dueNs: number;
  isTwice: boolean;
}

export type Wire = Pick<Socket, 'writable' | 'writableLength'> & { write(bytes: Buffer): unknown };

interface ConnectionParts extends Pick<DialectClient, 'index' | 'subprotocol' | 'url' | 'end'> {
  peer: string;
  wire: Wire;
  trickle: Trickle | undefined;
  pacer: Pacer;
  audience: Subscriptions<MetronomeConnection>;
  deeds: DeliveryRecord;
  publish(broadcast: Broadcast, read: Read): 201 | 503;
}

/** Writes one client's deliveries in order. Only the first of its outbox is queued, so that none overtakes another. */
export class MetronomeConnection implements DialectClient, RecordedPeer, Ringing {
  readonly index: number;
  readonly peer: string;
  readonly subprotocol: string;
  readonly url: string;
  readonly streams = new Set<string>();
  /** Time at which the client's current message was read. */
  heard: Read = { atNs: 0, readableFromNs: 0 };
  dueNs = 0;
  readonly #outbox: Delivery[] = [];
  /** Waits to be written after the next delivery. */
  #held: Delivery | undefined;
  readonly #overtaken = new Set<Delivery>();
  /** Counts the written bytes of the first delivery, and marks if they belong to its second copy. */
  #written = 0;
  #isSecondCopy = false;
  /** Due time of the previous delivery, plus an interval if it trickled. */
  #notBeforeNs = 0;
  /** Holds protocol messages until the current frame is written whole. */
  #talk: Buffer[] = [];
  isOpen = true;

  constructor(private readonly parts: ConnectionParts) {
    this.index = parts.index;
    this.peer = parts.peer;
    this.subprotocol = parts.subprotocol;
    this.url = parts.url;
  }

  say(text: string): void {
    this.sayFrame(textFrame(text));
  }

  sayFrame(frame: Buffer): void {
    if (this.#written > 0) this.#talk.push(frame);
    else if (this.parts.wire.writable) this.parts.wire.write(frame);
  }

  subscribe(stream: string, form: string): void {
    this.streams.add(stream);
    this.parts.audience.subscribe(this, stream, form);
  }

  unsubscribe(form: string): void {
    this.parts.audience.unsubscribe(this, form);
  }

  whisper(stream: string, text: (form: string) => string): void {
    for (const { connection, form } of this.parts.audience.of(stream)) {
      if (connection !== this) connection.say(text(form));
    }
  }

  end(code: number): void {
    this.parts.end(code);
  }

  broadcast(published: Broadcast): boolean {
    return this.parts.publish(published, this.heard) === 201;
  }

  /** Accepts a delivery. One that is to be swapped waits for the next. */
  accept(delivery: Delivery, isToSwap: boolean): void {
    const held = this.#held;
    if (held === undefined && isToSwap) {
      this.#held = delivery;
      this.parts.pacer.at({ dueNs: delivery.dueNs + heldAtMostNs, ring: () => this.#giveUp(delivery) });
      return;
    }
    this.#line(delivery);
    if (held === undefined) return;
    this.#held = undefined;
    this.#overtaken.add(held);
    this.#line(held);
  }

  ring(thawedNs: number): void {
    const head = this.#outbox[0];
    if (head === undefined) return;
    const { trickle, wire, pacer, deeds } = this.parts;
    if (!wire.writable) {
      this.close();
      return;
    }
    const { frame, entry } = head;
    const dueNs = Math.max(this.dueNs, thawedNs);
    const start = this.#written;
    const end = trickle === undefined ? frame.length : Math.min(start + trickle.bytes, frame.length);
    const bytes = end - start === frame.length ? frame : frame.subarray(start, end);
    // The reader can receive the frame before the call returns.
    const writtenNs = pacer.nowNs();
    wire.write(bytes);
    if (end < frame.length) {
      this.#written = end;
      this.#again(dueNs);
      return;
    }
    this.#written = 0;
    if (wire.writableLength > 0) entry.backlogged++;
    if (this.#isSecondCopy) deeds.did('duplicated', entry, head.row);
    else {
      deeds.delivered(entry, head.row, dueNs - entry.readAtNs, writtenNs - entry.readAtNs);
      if (trickle !== undefined) entry.trickled++;
      if (this.#overtaken.delete(head)) deeds.did('reordered', entry, head.row);
    }
    this.#isSecondCopy = head.isTwice && !this.#isSecondCopy;
    if (this.#isSecondCopy) this.#again(dueNs);
    else this.#next(dueNs);
    this.#flushTalk();
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.parts.audience.leave(this);
    const unwritten = this.#isSecondCopy ? this.#outbox.slice(1) : this.#outbox;
    for (const { entry } of unwritten) entry.gone++;
    if (this.#held !== undefined) this.#held.entry.gone++;
    this.#outbox.length = 0;
    this.#held = undefined;
  }

  #line(delivery: Delivery): void {
    this.#outbox.push(delivery);
    if (this.#outbox.length > 1) return;
    this.dueNs = Math.max(delivery.dueNs, this.#notBeforeNs);
    this.parts.pacer.soon(this);
  }

  #giveUp(delivery: Delivery): void {
    if (this.#held !== delivery) return;
    this.#held = undefined;
    delivery.dueNs += heldAtMostNs;
    delivery.entry.unswapped++;
    this.#line(delivery);
  }

  #again(dueNs: number): void {
    this.dueNs = dueNs + this.#intervalNs;
    this.parts.pacer.at(this);
  }

  #next(dueNs: number): void {
    this.#outbox.shift();
    this.#notBeforeNs = dueNs + this.#intervalNs;
    const head = this.#outbox[0];
    if (head === undefined) return;
    this.dueNs = Math.max(head.dueNs, this.#notBeforeNs);
    this.parts.pacer.at(this);
  }

  get #intervalNs(): number {
    return (this.parts.trickle?.everyMs ?? 0) * 1e6;
  }

  #flushTalk(): void {
    if (this.#talk.length === 0) return;
    for (const frame of this.#talk) this.parts.wire.write(frame);
    this.#talk = [];
  }
}
