import type { Session, SessionSink } from '../protocol.js';
import { objectIn, textOf, unexpected } from '../talk.js';

/** The one channel, whose subscribers hear every broadcast. */
const identifier = JSON.stringify({ channel: 'BenchmarkChannel' });

/**
 * Session of `shootout-cable`, the same messages as actions over Action Cable: after the `welcome` a client subscribes
 * to `BenchmarkChannel`. What it says is a `message` command whose data names the action and holds the payload. What
 * it hears is a message of the channel with `action` `echo`, `broadcast` or, as the sender, `broadcastResult`.
 */
export class ShootoutCableSession implements Session {
  #stream = '';

  constructor(private readonly sink: SessionSink) {}

  opened(): void {
    // The welcome allows a subscription.
  }

  subscribe(stream: string): void {
    this.#stream = stream;
    this.sink.send(JSON.stringify({ command: 'subscribe', identifier }));
  }

  echo(data: string): boolean {
    return this.#act('echo', data);
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
    else if (type === 'confirm_subscription') this.sink.subscribed(this.#stream);
    else if (type !== undefined) this.sink.refused(type === 'reject_subscription' ? type : unexpected(text));
  }

  #act(action: string, payload: string): boolean {
    const data = `{"action":"${action}","payload":${payload}}`;
    return this.sink.say(JSON.stringify({ command: 'message', identifier, data }));
  }
}
