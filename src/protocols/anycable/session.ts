import { jsonIn, objectIn } from '../../units/text.js';
import { isBefore, openingQuote, type Session, type SessionSink, textOf, unexpected } from '../protocol.js';

/** A channel of Action Cable that streams a stream. Maps the stream to the name in subscriptions and deliveries. */
export interface StreamChannel {
  identifierOf(stream: string): string;
  /** Returns undefined if the delivery does not name the stream. */
  nameOf(stream: string): string | undefined;
}

/** AnyCable's pub/sub channel. Only a signed name, `base64(JSON name)--hmac`, has `--`. */
export const pubsubChannel: StreamChannel = {
  identifierOf: (stream) =>
    JSON.stringify({ channel: '$pubsub', [isSigned(stream) ? 'signed_stream_name' : 'stream_name']: stream }),
  nameOf(stream) {
    if (!isSigned(stream)) return stream;
    const name = jsonIn(Buffer.from(stream.slice(0, stream.indexOf('--')), 'base64').toString());
    return typeof name === 'string' ? name : undefined;
  },
};

export function isSigned(stream: string): boolean {
  return stream.includes('--');
}

/** The stream of clients that only want echoes. */
export const echoStream = 'echo';

/** A channel of a Rails application: its class, and the stream as a parameter. */
export interface RailsChannel extends StreamChannel {
  className: string;
  paramsOf(stream: string): Record<string, string>;
}

/** The extended protocol of AnyCable: Action Cable plus positions, history and session ids. */
export const extendedProtocol = 'actioncable-v1-ext-json';
export const plainProtocol = 'actioncable-v1-json';
export type Subprotocol = typeof extendedProtocol | typeof plainProtocol;

/** A client's place in a stream. `epoch` names the target's history, `offset` counts within it. */
export interface StreamPosition {
  offset: number;
  epoch: string;
}

/** A stream in its current epoch. `prefix` ends its delivery frames, up to the offset's digits. */
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
 * Holds a client's last position in each stream, read from the end of delivery frames:
 * `{"identifier":…,"message":…,"stream_id":"S","epoch":"E","offset":N}`. The first delivery of a stream or epoch is
 * parsed. Later ones only compare bytes and read digits.
 */
export class StreamPositions {
  #known: readonly Known[] = [];

  /** Takes the position from a delivery frame. A frame without one changes nothing. */
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

/** Returns the start of the JSON string directly before `key`, which ends at `end`, or -1 if there is none. */
function stringBefore(bytes: Uint8Array, start: number, end: number, key: Uint8Array): number {
  const closing = end - key.length - 1;
  return isBefore(bytes, start, end, key) && bytes[closing] === quote ? openingQuote(bytes, start, closing) : -1;
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}

interface Subscription {
  stream: string;
  identifier: string;
  /** `asked` on this connection, `held` since its confirmation, `lost` with the connection. */
  state: 'asked' | 'held' | 'lost';
  wasHeld: boolean;
  askedHistory: boolean;
}

/**
 * Session of Action Cable. In the extended protocol, a returning client asks for the history since its last position.
 * It gets the history before `confirm_history`, or gets `reject_history`. Like the real client, the session answers no
 * ping.
 */
export class AnycableSession implements Session {
  #subscriptions: readonly Subscription[] = [];
  readonly #positions = new StreamPositions();
  #isExtended = false;

  constructor(
    protected readonly sink: SessionSink,
    protected readonly channel: StreamChannel = pubsubChannel,
  ) {}

  opened(subprotocol: string): void {
    this.#isExtended = subprotocol === extendedProtocol;
    for (const subscription of this.#subscriptions) subscription.state = 'lost';
  }

  subscribe(stream: string): void {
    const subscription = this.#subscriptionTo(stream);
    if (subscription.state === 'held') this.sink.subscribed(stream);
    if (subscription.state !== 'lost') return;
    const history = subscription.wasHeld ? this.#historyOf(stream) : undefined;
    subscription.state = 'asked';
    subscription.askedHistory = history !== undefined;
    this.sink.send(JSON.stringify({ command: 'subscribe', identifier: subscription.identifier, history }));
  }

  /** Sends a whisper. A target forwards it in public streams, and in signed ones if configured so. */
  whisper(stream: string, data: string): boolean {
    const identifier = JSON.stringify(this.channel.identifierOf(stream));
    return this.sink.say(`{"command":"whisper","identifier":${identifier},"data":${data}}`);
  }

  received(bytes: Uint8Array): void {
    const text = textOf(bytes);
    const talk = objectIn(text);
    const type = talk?.type;
    const subscription = this.#subscriptions.find(({ identifier }) => identifier === talk?.identifier);
    if (type === 'welcome') this.sink.ready();
    else if (type === 'disconnect') this.sink.refused(typeof talk?.reason === 'string' ? talk.reason : type);
    else if (subscription === undefined) this.sink.refused(unexpected(text));
    else if (type === undefined) {
      this.position(bytes, 0, bytes.length);
      this.sink.other(bytes);
    } else if (type === 'confirm_subscription') this.#confirmed(subscription);
    else if (type === 'confirm_history') this.sink.resumed(true);
    else if (type === 'reject_history') this.sink.resumed(false);
    else this.sink.refused(type === 'reject_subscription' ? type : unexpected(text));
  }

  position(bytes: Uint8Array, start: number, end: number): void {
    if (this.#isExtended) this.#positions.track(bytes, start, end);
  }

  protected confirmed(stream: string): void {
    this.sink.subscribed(stream);
  }

  #confirmed(subscription: Subscription): void {
    const isReturning = subscription.wasHeld;
    subscription.state = 'held';
    subscription.wasHeld = true;
    this.confirmed(subscription.stream);
    if (isReturning && !subscription.askedHistory) this.sink.resumed(false);
  }

  #subscriptionTo(stream: string): Subscription {
    let subscription = this.#subscriptions.find((known) => known.stream === stream);
    if (subscription === undefined) {
      const identifier = this.channel.identifierOf(stream);
      subscription = { stream, identifier, state: 'lost', wasHeld: false, askedHistory: false };
      this.#subscriptions = this.#subscriptions.concat(subscription);
    }
    return subscription;
  }

  #historyOf(stream: string): { streams: Record<string, { offset: number; epoch: string }> } | undefined {
    const name = this.channel.nameOf(stream);
    const position = this.#isExtended && name !== undefined ? this.#positions.of(name) : undefined;
    return name === undefined || position === undefined ? undefined : { streams: { [name]: position } };
  }
}
