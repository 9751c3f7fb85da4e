import { jsonIn, objectIn } from '../../units/json-text.js';
import { overWs } from '../library/over-ws.js';
import type { Protocol, Session, SessionSink } from '../protocol.js';
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
  name: 'shootout-cable',
  summary: 'websocket-shootout over Action Cable: echo and broadcast as actions of BenchmarkChannel',
  subprotocols: ['actioncable-v1-json'],
  defaultPath: '/cable',
  session: (sink) => new ShootoutCableSession(sink),
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
    } else if (talk.type === 'echo') this.#echoed(talk.payload);
  }

  #echoed(payload: unknown): void {
    const stream = typeof payload === 'object' && payload !== null && 'stream' in payload ? payload.stream : undefined;
    if (typeof stream === 'string') this.sink.subscribed(stream);
  }
}

const identifier = JSON.stringify({ channel: 'BenchmarkChannel' });

/** Session of `shootout-cable`: commands and messages of one Action Cable channel, with an `action` in their data. */
export class ShootoutCableSession implements Session {
  #stream: string | undefined;
  /** Its echo waits for the channel. */
  #first: string | undefined;

  constructor(private readonly sink: SessionSink) {}

  /** The welcome allows a subscription. */
  opened(): void {
    this.#stream = this.#first = undefined;
  }

  subscribe(stream: string): void {
    this.#stream = stream;
    this.sink.send(JSON.stringify({ command: 'subscribe', identifier }));
  }

  /** Rails takes an action only of a client that holds the channel. */
  echo(data: string): boolean {
    if (this.#stream !== undefined) return this.#act('echo', data);
    this.#first = data;
    this.subscribe('');
    return true;
  }

  broadcast(_stream: string, data: string): boolean {
    return this.#act('broadcast', data);
  }

  received(bytes: Uint8Array): void {
    const text = textOf(bytes);
    const talk = objectIn(text);
    const type = talk?.type;
    if (type === 'ping') return;
    if (type === 'welcome') this.sink.ready();
    else if (type === 'disconnect') this.sink.refused(typeof talk?.reason === 'string' ? talk.reason : type);
    else if (talk?.identifier !== identifier) this.sink.refused(unexpected(text));
    else if (type === 'confirm_subscription') this.#confirmed(this.#stream ?? '');
    else if (type !== undefined) this.sink.refused(type === 'reject_subscription' ? type : unexpected(text));
  }

  #confirmed(stream: string): void {
    this.sink.subscribed(stream);
    if (this.#first !== undefined) this.#act('echo', this.#first);
    this.#first = undefined;
  }

  #act(action: string, payload: string): boolean {
    const data = `{"action":"${action}","payload":${payload}}`;
    return this.sink.say(JSON.stringify({ command: 'message', identifier, data }));
  }
}
