import type { Session, SessionSink } from '../protocol.js';
import { jsonIn, objectIn, textOf, unexpected } from '../talk.js';

/**
 * Session of `ws-json`: `{"type":"subscribe","stream":S}` is answered by `{"type":"subscribed","stream":S}` or `{"type":"error","message":M}`, and
 * whatever is published to S then arrives as it is. An echo comes back, and a whisper arrives at the other subscribers, as it was said; a broadcast
 * publishes its data, a string of JSON, as the HTTP request of the target would. JSON of any other kind is somebody's data and is passed over.
 */
export class WsJsonSession implements Session {
  readonly #sink: SessionSink;

  constructor(sink: SessionSink) {
    this.#sink = sink;
  }

  opened(): void {
    this.#sink.ready();
  }

  subscribe(stream: string): void {
    this.#sink.send(JSON.stringify({ type: 'subscribe', stream }));
  }

  echo(data: string): boolean {
    return this.#sink.say(`{"type":"echo","payload":${data}}`);
  }

  whisper(stream: string, data: string): boolean {
    return this.#sink.say(`{"type":"whisper","stream":${JSON.stringify(stream)},"payload":${data}}`);
  }

  broadcast(stream: string, data: string): boolean {
    return this.#sink.say(JSON.stringify({ type: 'broadcast', stream, data }));
  }

  received(bytes: Uint8Array): void {
    const text = textOf(bytes);
    const talk = objectIn(text);
    if (talk === undefined) {
      if (jsonIn(text) === undefined) this.#sink.refused(unexpected(text));
    } else if (talk.type === 'subscribed' && typeof talk.stream === 'string') this.#sink.subscribed(talk.stream);
    else if (talk.type === 'error') this.#sink.refused(typeof talk.message === 'string' ? talk.message : 'error');
  }
}
