import { type ClientValues, jsonEscaped, withSlots } from '../../units/slots.js';
import { jsonIn } from '../../units/text.js';
import { copyBytes, openingQuote, type Session, type SessionSink, textOf, unexpected } from '../protocol.js';
import type { SocketioDialect } from './packet.js';
import {
  echoAcknowledgement,
  headOf,
  isAcknowledgement,
  isEvent,
  isOfNamespace,
  openingBracket,
  type PacketHead,
  packetType,
} from './packet.js';

const quote = 0x22;
const comma = 0x2c;
const closingBracket = 0x5d;
/** Longest offset that is kept. Offsets have 7 (in memory), 15 to 20 (Redis streams) or 24 bytes (MongoDB). */
const maxOffsetBytes = 64;

/**
 * Session of Socket.IO 5 over Engine.IO 4, websocket transport, in one namespace. A stream is a room that the target
 * joins on the event `join`. Other legal packets are ignored, as the real library does.
 *
 * Connection state recovery: the target gives a private id in `40` and ends every event with an offset. Both go back in
 * the next `40`. The connection is recovered if the answer has the same id. Missed messages arrive before that answer.
 */
export class SocketioSession implements Session {
  readonly #namespace: Uint8Array;
  /** Precedes the id or the JSON of every packet. */
  readonly #prefix: string;
  #pid: string | undefined;
  /** JSON text of the last offset without quotes. Undefined until the target gave a private id. */
  #offset: Uint8Array | undefined;
  #offsetLength = 0;
  #hasConnected = false;
  /** Streams requested on this connection, by acknowledgement id. */
  #asked: readonly string[] = [];
  #held: readonly string[] = [];
  /** Binary messages that the last packet announced and that have not come yet. */
  #attachments = 0;

  constructor(
    private readonly sink: SessionSink,
    private readonly dialect: SocketioDialect,
    private readonly values: ClientValues,
  ) {
    this.#namespace = Buffer.from(dialect.namespace);
    this.#prefix = dialect.namespace === '/' ? '' : `${dialect.namespace},`;
  }

  opened(): void {
    this.#asked = [];
    this.#attachments = 0;
  }

  subscribe(stream: string): void {
    if (this.#held.includes(stream)) {
      this.sink.subscribed(stream);
      return;
    }
    this.sink.send(`42${this.#prefix}${this.#asked.length}${JSON.stringify(['join', stream])}`);
    this.#asked = this.#asked.concat(stream);
  }

  echo(data: string): boolean {
    return this.sink.say(`42${this.#prefix}${echoAcknowledgement}["echo",${data}]`);
  }

  whisper(stream: string, data: string): boolean {
    return this.sink.say(`42${this.#prefix}["whisper",${JSON.stringify(stream)},${data}]`);
  }

  received(bytes: Uint8Array): void {
    const head = headOf(bytes, 0, bytes.length);
    if (head !== undefined) this.#packet(head, bytes);
    else this.#transport(textOf(bytes));
  }

  receivedBinary(): void {
    if (this.#attachments > 0) this.#attachments--;
    else this.sink.refused('a binary message');
  }

  position(bytes: Uint8Array, start: number, end: number): void {
    const head = headOf(bytes, start, end);
    if (head === undefined) return;
    this.#attachments = head.attachments;
    if (isEvent(head.type)) this.#noteOffset(bytes, head.bodyStart, end);
  }

  /** Handles Engine.IO's own packets. Ignores a close packet, as the end of the connection gives the cause. */
  #transport(text: string): void {
    if (text.startsWith('0{')) this.sink.send(`40${this.#prefix}${this.#credentials()}`);
    else if (text !== '1' && text !== '6') this.sink.refused(unexpected(text));
  }

  #packet(head: PacketHead, bytes: Uint8Array): void {
    const { type, id, bodyStart } = head;
    const carriesList = isEvent(type) || isAcknowledgement(type);
    if (this.#attachments > 0 || (carriesList && bytes[bodyStart] !== openingBracket)) {
      this.sink.refused(unexpected(textOf(bytes)));
      return;
    }
    this.#attachments = head.attachments;
    if (!isOfNamespace(head, bytes, this.#namespace)) return;
    if (isEvent(type)) {
      this.#noteOffset(bytes, bodyStart, bytes.length);
      this.sink.other(bytes);
    } else if (isAcknowledgement(type)) this.#acknowledged(id);
    else if (type === packetType.disconnect) this.sink.refused('io server disconnect');
    else this.#answered(type, jsonIn(textOf(bytes.subarray(bodyStart))), bytes);
  }

  #noteOffset(bytes: Uint8Array, start: number, end: number): void {
    const kept = this.#offset;
    if (kept === undefined || bytes[end - 1] !== closingBracket || bytes[end - 2] !== quote) return;
    const opening = openingQuote(bytes, start, end - 2);
    if (opening <= start || bytes[opening - 1] !== comma) return;
    const length = end - 2 - (opening + 1);
    // An older offset would ask for deliveries that were counted already.
    this.#offsetLength = length <= maxOffsetBytes ? length : 0;
    copyBytes(bytes, opening + 1, opening + 1 + this.#offsetLength, kept);
  }

  /** Returns the credentials. The user's auth comes last, as its keys win in the real library, too. */
  #credentials(): string {
    const auth = withSlots(this.dialect.auth ?? '', this.values, jsonEscaped);
    if (this.#pid === undefined || this.#offset === undefined || this.#offsetLength === 0) return auth;
    const offset = textOf(this.#offset.subarray(0, this.#offsetLength));
    const place = `"pid":${JSON.stringify(this.#pid)},"offset":"${offset}"`;
    const own = auth.slice(1, -1).trim();
    return own === '' ? `{${place}}` : `{${place},${own}}`;
  }

  #answered(type: number, answer: unknown, bytes: Uint8Array): void {
    const { sid, pid, message } = (answer ?? {}) as { sid?: unknown; pid?: unknown; message?: unknown };
    if (type === packetType.connectError) {
      const word = typeof answer === 'string' ? answer : message;
      this.sink.refused(typeof word === 'string' ? word : unexpected(textOf(bytes)));
    } else if (typeof sid === 'string') this.#connected(typeof pid === 'string' ? pid : undefined);
    else this.sink.refused(unexpected(textOf(bytes)));
  }

  #connected(pid: string | undefined): void {
    const isRecovered = pid !== undefined && pid === this.#pid;
    const isReturning = this.#hasConnected;
    this.#hasConnected = true;
    this.#pid = pid;
    if (pid !== undefined) this.#offset ??= Buffer.allocUnsafe(maxOffsetBytes);
    if (!isRecovered) this.#held = [];
    if (isReturning) this.sink.resumed(isRecovered);
    this.sink.ready();
  }

  #acknowledged(id: number): void {
    const stream = this.#asked[id];
    if (stream === undefined || this.#held.includes(stream)) return;
    this.#held = this.#held.concat(stream);
    this.sink.subscribed(stream);
  }
}
