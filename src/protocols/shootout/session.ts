import type { Session, SessionSink } from '../protocol.js';
import { jsonIn, objectIn, textOf, unexpected } from '../talk.js';

/**
 * Session of `shootout`: `{"type":"echo","payload":P}` comes back to the sender; `{"type":"broadcast","payload":P}` reaches every client that is
 * connected, the sender included, who then gets `{"type":"broadcastResult","payload":P}`. There are no streams and no subscriptions: who is connected
 * hears everything. That a client is, an echo proves that comes back. JSON of any other kind is somebody's data and is passed over.
 */
export class ShootoutSession implements Session {
  readonly #sink: SessionSink;

  constructor(sink: SessionSink) {
    this.#sink = sink;
  }

  opened(): void {
    this.#sink.ready();
  }

  subscribe(stream: string): void {
    this.echo(JSON.stringify({ stream }));
  }

  echo(data: string): boolean {
    return this.#sink.say(`{"type":"echo","payload":${data}}`);
  }

  broadcast(_stream: string, data: string): boolean {
    return this.#sink.say(`{"type":"broadcast","payload":${data}}`);
  }

  received(bytes: Uint8Array): void {
    const text = textOf(bytes);
    const talk = objectIn(text);
    if (talk === undefined) {
      if (jsonIn(text) === undefined) this.#sink.refused(unexpected(text));
    } else if (talk.type === 'echo') this.#echoed(talk.payload);
  }

  #echoed(payload: unknown): void {
    const stream = typeof payload === 'object' && payload !== null && 'stream' in payload ? payload.stream : undefined;
    if (typeof stream === 'string') this.#sink.subscribed(stream);
  }
}
