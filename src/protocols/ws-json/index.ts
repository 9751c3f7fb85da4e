import { jsonIn, objectIn } from '../../units/json-text.js';
import { overWs } from '../library/over-ws.js';
import type { Session, SessionSink } from '../protocol.js';
import { textOf, unexpected } from '../talk.js';

/** JSON over a bare WebSocket: the protocol of the targets `ws` and `uws`. */
export const wsJson = overWs({
  name: 'ws-json',
  summary: 'JSON over a bare WebSocket: subscribe, subscribed, then the published data as it is',
  verbs: ['subscribe', 'echo', 'whisper', 'broadcast'],
  subprotocols: [],
  defaultPath: '/ws',
  session: (sink) => new WsJsonSession(sink),
});

/** Session of `ws-json`. What is published, echoed or whispered arrives as it is. Other JSON is ignored. */
export class WsJsonSession implements Session {
  constructor(private readonly sink: SessionSink) {}

  opened(): void {
    this.sink.ready();
  }

  subscribe(stream: string): void {
    this.sink.send(JSON.stringify({ type: 'subscribe', stream }));
  }

  echo(data: string): boolean {
    return this.sink.say(`{"type":"echo","payload":${data}}`);
  }

  whisper(stream: string, data: string): boolean {
    return this.sink.say(`{"type":"whisper","stream":${JSON.stringify(stream)},"payload":${data}}`);
  }

  broadcast(stream: string, data: string): boolean {
    return this.sink.say(JSON.stringify({ type: 'broadcast', stream, data }));
  }

  received(bytes: Uint8Array): void {
    const text = textOf(bytes);
    const talk = objectIn(text);
    if (talk === undefined) {
      if (jsonIn(text) === undefined) this.sink.refused(unexpected(text));
      else this.sink.other(bytes);
    } else if (talk.type === 'subscribed' && typeof talk.stream === 'string') this.sink.subscribed(talk.stream);
    else if (talk.type === 'error') this.sink.refused(typeof talk.message === 'string' ? talk.message : 'error');
    else this.sink.other(bytes);
  }
}
