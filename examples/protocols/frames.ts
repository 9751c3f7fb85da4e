import { defineProtocol, type Session, type SessionSink } from 'ringside-bench/flow';

/** The first byte of a message. The second is the length of the topic, which follows; the rest is the content. */
const op = { join: 1, joined: 2, publish: 3, ping: 5, error: 7 };

function frame(kind: number, topic: string, content = ''): Uint8Array {
  const name = Buffer.from(topic);
  return Buffer.concat([Buffer.of(kind, name.length), name, Buffer.from(content)]);
}

/** A client of binary frames. Ringside finds its data in the bytes of a message, so no method sees deliveries. */
class Frames implements Session {
  constructor(private readonly sink: SessionSink) {}

  opened() {
    this.sink.ready();
  }

  subscribe(stream: string) {
    this.sink.send(frame(op.join, stream));
  }

  receivedBinary(bytes: Uint8Array) {
    const topic = Buffer.from(bytes.subarray(2, 2 + bytes[1]!)).toString();
    if (bytes[0] === op.joined) this.sink.subscribed(topic);
    else if (bytes[0] === op.error) this.sink.refused(topic);
    else this.sink.other(bytes, true);
  }

  received(bytes: Uint8Array) {
    this.sink.other(bytes);
  }

  broadcast(stream: string, data: string) {
    return this.sink.say(frame(op.publish, stream, data));
  }

  echo(data: string) {
    return this.sink.say(frame(op.ping, '', data));
  }
}

export default defineProtocol({
  name: 'frames',
  summary: 'binary frames with a topic',
  verbs: ['subscribe', 'broadcast', 'echo'],
  subprotocols: ['frames.v1'],
  publishesByClients: { joins: false, isAnswered: false },
  session: (sink) => new Frames(sink),
});
