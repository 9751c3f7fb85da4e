import { objectIn } from '../../units/text.js';
import { type Session, type SessionSink, textOf, unexpected } from '../protocol.js';
import type { App } from './app.js';
import { entryTo, pusherChannel, whisperEvent } from './app.js';

/** Interval at which a session checks if it was silent for too long. */
export const tickMs = 10_000;

/** Timeout of the real library, for a server that names none. */
const usualActivityTimeoutMs = 120_000;

/**
 * Session of the Pusher protocol 7. The target names the connection, and its id is part of the signed text. A session
 * answers pings. It sends its own ping when it received only deliveries for the time that the target named.
 */
export class PusherSession implements Session {
  #socketId: string | undefined;
  /** Streams of this connection by channel. `isHeld`: the target confirmed the stream. */
  readonly #streams = new Map<string, { stream: string; isHeld: boolean }>();
  #activityTimeoutMs = usualActivityTimeoutMs;
  #silentMs = 0;

  constructor(
    private readonly sink: SessionSink,
    private readonly app: App,
    private readonly number: number,
  ) {}

  opened(): void {
    this.#socketId = undefined;
    this.#streams.clear();
  }

  subscribe(stream: string): void {
    if (this.#socketId === undefined) return;
    const channel = pusherChannel(this.app, stream);
    const known = this.#streams.get(channel);
    if (known?.isHeld) this.sink.subscribed(stream);
    if (known !== undefined) return;
    this.#streams.set(channel, { stream, isHeld: false });
    const data = { channel, ...entryTo(this.app, channel, this.#socketId, this.number) };
    this.sink.send(JSON.stringify({ event: 'pusher:subscribe', data }));
  }

  /** Sends a whisper. A target forwards it only in private and presence channels. */
  whisper(stream: string, data: string): boolean {
    const channel = JSON.stringify(pusherChannel(this.app, stream));
    return this.sink.say(`{"event":"${whisperEvent}","channel":${channel},"data":${data}}`);
  }

  received(bytes: Uint8Array): void {
    this.#silentMs = 0;
    const text = textOf(bytes);
    const { event, channel, data } = objectIn(text) ?? {};
    if (typeof event !== 'string') this.sink.refused(unexpected(text));
    else if (event === 'pusher:connection_established') this.#established(dataIn(data), text);
    else if (event === 'pusher:ping') this.sink.send('{"event":"pusher:pong","data":{}}');
    else if (event === 'pusher:error') this.#erred(dataIn(data));
    else if (event === 'pusher:subscription_error') this.sink.refused('subscription_error');
    else if (event === 'pusher_internal:subscription_succeeded') this.#subscribed(channel);
    else if (!event.startsWith('pusher')) this.sink.other(bytes);
  }

  tick(): void {
    if (this.#socketId === undefined) return;
    this.#silentMs += tickMs;
    if (this.#silentMs < this.#activityTimeoutMs) return;
    this.#silentMs = 0;
    this.sink.send('{"event":"pusher:ping","data":{}}');
  }

  #established({ socket_id: socketId, activity_timeout: seconds }: Record<string, unknown>, text: string): void {
    if (typeof socketId !== 'string') {
      this.sink.refused(unexpected(text));
      return;
    }
    this.#socketId = socketId;
    this.#activityTimeoutMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : usualActivityTimeoutMs;
    this.sink.ready();
  }

  #subscribed(channel: unknown): void {
    const known = typeof channel === 'string' ? this.#streams.get(channel) : undefined;
    if (known === undefined || known.isHeld) return;
    known.isHeld = true;
    this.sink.subscribed(known.stream);
  }

  /** Handles an error. One without a code that ends the session still refuses the unconfirmed requests. */
  #erred(data: Record<string, unknown>): void {
    const end = errorEnd(data);
    const isWaiting = this.#socketId === undefined || [...this.#streams.values()].some(({ isHeld }) => !isHeld);
    if (end !== undefined) this.sink.refused(end);
    else if (isWaiting) this.sink.refused(wordsOf(data));
  }
}

/** Returns the data of an event, which is an object or JSON text of one. */
export function dataIn(data: unknown): Record<string, unknown> {
  if (typeof data === 'string') return objectIn(data) ?? {};
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
}

/** Returns the action that a code of an error or close frame asks of a client. Undefined for other codes. */
export function adviceOf(code: number): string | undefined {
  if (code >= 4000 && code < 4100) return 'do not reconnect';
  if (code >= 4100 && code < 4200) return 'reconnect after a back-off';
  if (code >= 4200 && code < 4300) return 'reconnect at once';
  return undefined;
}

/** The data of a `pusher:error`. Both parts may be missing. */
export interface ErrorData {
  code?: unknown;
  message?: unknown;
}

/**
 * Returns why an error frame ends the session, in words that are the same for all clients. Undefined for an error that
 * ends no session. Its code is not within 4000 to 4299, such as the refusal of a client event (4301).
 */
export function errorEnd({ code }: ErrorData): string | undefined {
  const advice = typeof code === 'number' ? adviceOf(code) : undefined;
  return advice && `${code} ${advice}`;
}

export function wordsOf({ code, message }: ErrorData): string {
  const words = [code, message].filter((part) => typeof part === 'number' || typeof part === 'string');
  return words.join(' ') || 'error';
}
