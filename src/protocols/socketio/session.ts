import { copyBytes, openingQuote } from '../json-tail.js';
import type { Session, SessionSink } from '../protocol.js';
import { objectIn, textOf, unexpected } from '../talk.js';

const quote = 0x22;
const comma = 0x2c;
const closingBracket = 0x5d;
/** Offsets in use have 7 (in memory), 15 to 20 (Redis streams) or 24 bytes (MongoDB). */
const maxOffsetBytes = 64;
/** Of every echo: its answer is known by what it carries. Nobody asks for so many streams that one of theirs could be this. */
const echoAcknowledgement = 999_999;

/**
 * Session of Socket.IO 5 over Engine.IO 4, websocket transport, default namespace. Packets: `0` open, `2` ping, `3` pong, `40` connect, `41`
 * disconnect, `42` event, `43` acknowledgement, `44` connect error. A stream is a room that the target joins on the event `join`; it acknowledges
 * `echo` with what that carries, and passes what `whisper` carries on to the others in the room.
 *
 * Connection state recovery: a target that offers it gives a private id in `40` and ends every event with an offset. Both go back in the next
 * `40`; the connection counts as recovered when the answer carries the same private id, and then its rooms are still joined. What was missed
 * arrives before that answer.
 */
export class SocketioSession implements Session {
  readonly #sink: SessionSink;
  #pid: string | undefined;
  /** JSON text of the last offset, without its quotes; there only once the target gave a private id. */
  #offset: Uint8Array | undefined;
  #offsetLength = 0;
  #hasConnected = false;
  /** Streams asked for on this connection; the index is the acknowledgement id. */
  #asked: readonly string[] = [];
  #held: readonly string[] = [];

  constructor(sink: SessionSink) {
    this.#sink = sink;
  }

  opened(): void {
    this.#asked = [];
  }

  subscribe(stream: string): void {
    if (this.#held.includes(stream)) {
      this.#sink.subscribed(stream);
      return;
    }
    this.#sink.send(`42${this.#asked.length}${JSON.stringify(['join', stream])}`);
    this.#asked = this.#asked.concat(stream);
  }

  echo(data: string): boolean {
    return this.#sink.say(`42${echoAcknowledgement}["echo",${data}]`);
  }

  whisper(stream: string, data: string): boolean {
    return this.#sink.say(`42["whisper",${JSON.stringify(stream)},${data}]`);
  }

  received(bytes: Uint8Array): void {
    const text = textOf(bytes);
    if (text === '2') this.#sink.send('3');
    else if (/^42\d*\[/.test(text)) this.position(bytes, 0, bytes.length);
    else if (text.startsWith('40')) this.#connected(text);
    else if (text.startsWith('43')) this.#acknowledged(text);
    else if (text.startsWith('44')) this.#sink.refused(refusalIn(text));
    else if (text === '41') this.#sink.refused('io server disconnect');
    else if (text.startsWith('0{')) this.#sink.send(`40${this.#credentials()}`);
    else if (text !== '6') this.#sink.refused(unexpected(text));
  }

  position(bytes: Uint8Array, start: number, end: number): void {
    const kept = this.#offset;
    if (kept === undefined || bytes[end - 1] !== closingBracket || bytes[end - 2] !== quote) return;
    const opening = openingQuote(bytes, start, end - 2);
    if (opening <= start || bytes[opening - 1] !== comma) return;
    const length = end - 2 - (opening + 1);
    // Resuming from an older offset would ask for deliveries that were already counted: better none than that.
    this.#offsetLength = length <= maxOffsetBytes ? length : 0;
    copyBytes(bytes, opening + 1, opening + 1 + this.#offsetLength, kept);
  }

  #credentials(): string {
    if (this.#pid === undefined || this.#offset === undefined || this.#offsetLength === 0) return '';
    return `{"pid":${JSON.stringify(this.#pid)},"offset":"${textOf(this.#offset.subarray(0, this.#offsetLength))}"}`;
  }

  #connected(text: string): void {
    const answer = objectIn(text.slice(2));
    if (typeof answer?.sid !== 'string') {
      this.#sink.refused(unexpected(text));
      return;
    }
    const pid = typeof answer.pid === 'string' ? answer.pid : undefined;
    const isRecovered = pid !== undefined && pid === this.#pid;
    const isReturning = this.#hasConnected;
    this.#hasConnected = true;
    this.#pid = pid;
    if (pid !== undefined) this.#offset ??= Buffer.allocUnsafe(maxOffsetBytes);
    if (!isRecovered) this.#held = [];
    if (isReturning) this.#sink.resumed(isRecovered);
    this.#sink.ready();
  }

  #acknowledged(text: string): void {
    const id = /^43(\d+)\[/.exec(text)?.[1];
    const stream = id === undefined ? undefined : this.#asked[Number(id)];
    if (stream === undefined) {
      this.#sink.refused(unexpected(text));
      return;
    }
    if (!this.#held.includes(stream)) this.#held = this.#held.concat(stream);
    this.#sink.subscribed(stream);
  }
}

function refusalIn(text: string): string {
  const message = objectIn(text.slice(2))?.message;
  return typeof message === 'string' ? message : unexpected(text);
}
