import { jsonIn, objectIn } from '../../units/json-text.js';
import { cableOf, plainProtocol } from '../anycable/cable.js';
import type { Channel } from '../anycable/stream-name.js';
import { overWs } from '../library/over-ws.js';
import type { Protocol, Session, SessionSink } from '../protocol.js';
import { RailsSession } from '../rails/session.js';
import { textOf, unexpected } from '../talk.js';

const shared = {
  verbs: ['echo', 'broadcast', 'acknowledge'],
  // The answer to a broadcast's sender, in both forms.
  acknowledgement: 'broadcastResult',
} satisfies Partial<Protocol>;

/** The two messages of hashrocket's websocket-shootout: an echo, and a broadcast to every connected client. */
export const shootout = overWs({
  ...shared,
  name: 'shootout',
  summary: 'websocket-shootout: JSON over a bare WebSocket, echo and broadcast to all that are connected, no streams',
  subprotocols: [],
  defaultPath: '/ws',
  session: (sink) => new ShootoutSession(sink),
});

/** The same messages as actions of an Action Cable channel. */
export const shootoutCable = overWs({
  ...shared,
  ...cableOf(plainProtocol),
  name: 'shootout-cable',
  summary: 'websocket-shootout over Action Cable: echo and broadcast as actions of BenchmarkChannel',
  session: (sink) => new RailsSession(sink, channel),
});

/** Session of `shootout`. It has no streams: an echo that comes back proves a subscription. Ignores other JSON. */
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
      else this.sink.other(bytes);
    } else if (talk.type === 'echo') this.#echoed(talk.payload);
    else this.sink.other(bytes);
  }

  #echoed(payload: unknown): void {
    const stream = typeof payload === 'object' && payload !== null && 'stream' in payload ? payload.stream : undefined;
    if (typeof stream === 'string') this.sink.subscribed(stream);
  }
}

/** One channel for everything, without streams. */
const channel: Channel = {
  identifierOf: () => JSON.stringify({ channel: 'BenchmarkChannel' }),
  nameOf: () => undefined,
};
