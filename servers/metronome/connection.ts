import type { Socket } from 'node:net';
import type { Broadcast } from '../routes.js';
import type { DeliveryRecord, RecordedPeer, RecordedPublish } from './deeds.js';
import type { DialectClient } from './dialects/dialect.js';
import type { Pacer, Ringing } from './pacer.js';

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
  pacer: Pacer;
  audience: Subscriptions<MetronomeConnection>;
  deeds: DeliveryRecord;
  publish(broadcast: Broadcast, readAtNs: number): 201 | 503;
}

/** Writes one client's deliveries in order. Only the first of its outbox is queued, so that none overtakes another. */
export class MetronomeConnection implements DialectClient, RecordedPeer, Ringing {
  readonly index: number;
  readonly peer: string;
  readonly subprotocol: string;
  readonly url: string;
  readonly end: (code: number) => void;
  readonly streams = new Set<string>();
  /** Time at which the client's current message was read. */
  heardAtNs = 0;
  dueNs = 0;
  readonly #outbox: Delivery[] = [];
  /** Waits to be written after the next delivery. */
  #held: Delivery | undefined;
  readonly #overtaken = new Set<Delivery>();
  /** Due time of the previous delivery. */
  #notBeforeNs = 0;
  isOpen = true;

  constructor(private readonly parts: ConnectionParts) {
    this.index = parts.index;
    this.peer = parts.peer;
    this.subprotocol = parts.subprotocol;
    this.url = parts.url;
    this.end = parts.end;
  }

  say(text: string): void {
    this.sayFrame(textFrame(text));
  }

  sayFrame(frame: Buffer): void {
    if (this.parts.wire.writable) this.parts.wire.write(frame);
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

  broadcast(published: Broadcast): boolean {
    return this.parts.publish(published, this.heardAtNs) === 201;
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
    const head = this.#outbox.shift();
    if (head === undefined) return;
    const { wire, pacer, deeds } = this.parts;
    const { frame, entry, row } = head;
    if (!wire.writable) {
      entry.gone++;
      this.close();
      return;
    }
    this.#notBeforeNs = Math.max(this.dueNs, thawedNs);
    // The reader can receive the frame before the call returns.
    const writtenNs = pacer.nowNs();
    wire.write(frame);
    if (wire.writableLength > 0) entry.backlogged++;
    deeds.delivered(entry, row, this.#notBeforeNs - entry.readAtNs, writtenNs - entry.readAtNs);
    if (this.#overtaken.delete(head)) deeds.did('reordered', entry, row);
    if (head.isTwice) {
      wire.write(frame);
      deeds.did('duplicated', entry, row);
    }
    const [next] = this.#outbox;
    if (next === undefined) return;
    this.dueNs = Math.max(next.dueNs, this.#notBeforeNs);
    pacer.at(this);
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.parts.audience.leave(this);
    for (const { entry } of this.#outbox) entry.gone++;
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
}

interface Subscription<Connection> {
  readonly connection: Connection;
  readonly stream: string;
  /** Identifies the subscription among those of its client, see `DialectClient`. */
  readonly form: string;
}

export class Subscriptions<Connection> {
  readonly #streams = new Map<string, Set<Subscription<Connection>>>();
  readonly #held = new Map<Connection, Map<string, Subscription<Connection>>>();

  of(stream: string): Iterable<Subscription<Connection>> {
    return this.#streams.get(stream) ?? [];
  }

  /** Subscribes a connection. A second subscription of the same form is ignored. */
  subscribe(connection: Connection, stream: string, form: string): void {
    const held = this.#held.get(connection) ?? new Map<string, Subscription<Connection>>();
    if (held.has(form)) return;
    const subscription = { connection, stream, form };
    this.#held.set(connection, held.set(form, subscription));
    const subscribers = this.#streams.get(stream);
    if (subscribers === undefined) this.#streams.set(stream, new Set([subscription]));
    else subscribers.add(subscription);
  }

  unsubscribe(connection: Connection, form: string): void {
    const held = this.#held.get(connection);
    const subscription = held?.get(form);
    if (subscription === undefined) return;
    held?.delete(form);
    const subscribers = this.#streams.get(subscription.stream);
    if (subscribers?.delete(subscription) && subscribers.size === 0) this.#streams.delete(subscription.stream);
  }

  leave(connection: Connection): void {
    for (const form of this.#held.get(connection)?.keys() ?? []) this.unsubscribe(connection, form);
    this.#held.delete(connection);
  }
}
