import type { Session, SessionSink } from '../protocol.js';
import { jsonIn, objectIn, textOf, unexpected } from '../talk.js';

/**
 * Session of `shootout`: `{"type":"echo","payload":P}` comes back to the sender. `{"type":"broadcast","payload":P}`
 * reaches every connected client, and its sender also gets `{"type":"broadcastResult","payload":P}`. There are no
 * streams: an echo that comes back proves a subscription. Other JSON is ignored.
 */
export class ShootoutSession implements Session {
  constructor(private readonly sink: SessionSink) {}

  opened(): void {
    this.sink.ready();
  }

  subscribe(stream: string): void {
    this.echo(JSON.stringify({ stream }));
  }

  echo(data: string): boolean {
    return this.sink.say(`{"type":"echo","payload":${data}}`);
  }

  broadcast(_stream: string, data: string): boolean {
    return this.sink.say(`{"type":"broadcast","payload":${data}}`);
  }

  received(bytes: Uint8Array): void {
    const text = textOf(bytes);
    const talk = objectIn(text);
    if (talk === undefined) {
      if (jsonIn(text) === undefined) this.sink.refused(unexpected(text));
    } else if (talk.type === 'echo') this.#echoed(talk.payload);
  }

  #echoed(payload: unknown): void {
    const stream = typeof payload === 'object' && payload !== null && 'stream' in payload ? payload.stream : undefined;
    if (typeof stream === 'string') this.sink.subscribed(stream);
  }
}
