import { overWs } from './messages/index.js';
import type { Session, SessionSink } from './protocol.js';

/** Any WebSocket server. The client sends only a ping of RFC 6455, whose pong proves the connection. */
export const raw = overWs({
  name: 'raw',
  summary: 'any WebSocket server: no messages; a ping frame and its pong prove each connection',
  verbs: [],
  withoutVerb: () => ({
    where: 'as it sends no messages',
    hint: 'Name the --protocol of the server, or describe its messages: `messages:` in a target file, or --message.',
  }),
  stuckAt: () => ({ ready: 'the WebSocket opened; no pong answered our ping' }),
  subprotocols: [],
  defaultPath: '/',
  session: (sink) => new RawSession(sink),
});

/** Session of `raw`. Ignores all messages of the server. */
export class RawSession implements Session {
  #asked: string | undefined;

  constructor(private readonly sink: SessionSink) {}

  opened(): void {
    this.#asked = undefined;
    this.sink.ready();
  }

  subscribe(stream: string): void {
    this.#asked = stream;
    this.sink.ping();
  }

  ponged(): void {
    if (this.#asked === undefined) return;
    const stream = this.#asked;
    this.#asked = undefined;
    this.sink.subscribed(stream);
  }

  received(): void {
    // No message is of any use here.
  }

  receivedBinary(): void {
    this.received();
  }
}
