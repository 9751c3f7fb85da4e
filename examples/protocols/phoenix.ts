import { defineProtocol, type Session, type SessionSink } from 'ringside-bench/flow';

/** A client of Phoenix channels. Its messages are lists: join reference, reference, topic, event and payload. */
class Channels implements Session {
  #ref = 0;
  /** References of joins by topic. */
  readonly #joins = new Map<string, string>();

  constructor(private readonly sink: SessionSink) {}

  opened() {
    this.#joins.clear();
    this.sink.ready();
  }

  subscribe(stream: string) {
    const ref = `${++this.#ref}`;
    this.#joins.set(`room:${stream}`, ref);
    this.sink.send(JSON.stringify([ref, ref, `room:${stream}`, 'phx_join', {}]));
  }

  received(bytes: Uint8Array) {
    const [, ref, topic, event, payload] = JSON.parse(Buffer.from(bytes).toString());
    if (event !== 'phx_reply') return this.sink.other(bytes);
    if (ref !== this.#joins.get(topic)) return;
    if (payload.status === 'ok') this.sink.subscribed(topic.slice('room:'.length));
    else this.sink.refused(JSON.stringify(payload.response));
  }

  broadcast(stream: string, data: string) {
    const [topic, ref] = [`room:${stream}`, `${++this.#ref}`];
    return this.sink.say(`${JSON.stringify([this.#joins.get(topic), ref, topic, 'shout']).slice(0, -1)},${data}]`);
  }

  tick() {
    this.sink.send(JSON.stringify([null, `${++this.#ref}`, 'phoenix', 'heartbeat', {}]));
  }
}

export default defineProtocol({
  name: 'phoenix',
  summary: 'channels of Phoenix, serializer 2.0.0',
  verbs: ['subscribe', 'broadcast'],
  defaultPath: '/socket/websocket?vsn=2.0.0',
  publishesByClients: { joins: true, isAnswered: false },
  tickMs: 30_000,
  session: (sink) => new Channels(sink),
});
