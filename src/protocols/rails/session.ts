import { AnycableSession } from '../anycable/session.js';
import type { SessionSink } from '../protocol.js';
import { railsChannel } from './channel.js';

/** Session of a Rails application's channel: that of AnyCable, with echo and broadcast as actions of the channel. */
export class RailsSession extends AnycableSession {
  #stream = '';

  constructor(sink: SessionSink) {
    super(sink, railsChannel);
  }

  override subscribe(stream: string): void {
    this.#stream = stream;
    super.subscribe(stream);
  }

  echo(data: string): boolean {
    return this.#act('echo', this.#stream, data);
  }

  broadcast(stream: string, data: string): boolean {
    return this.#act('broadcast', stream, data);
  }

  #act(action: string, stream: string, payload: string): boolean {
    const identifier = this.channel.identifierOf(stream);
    const data = `{"action":"${action}","payload":${payload}}`;
    return this.sink.say(JSON.stringify({ command: 'message', identifier, data }));
  }
}
