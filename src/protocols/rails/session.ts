import { AnycableSession } from '../anycable/session.js';
import { echoStream } from './channel.js';

/** Session of a Rails application's channel: that of AnyCable, with echo and broadcast as actions of the channel. */
export class RailsSession extends AnycableSession {
  #stream: string | undefined;
  /** Its echo waits for the channel. */
  #first: string | undefined;

  override opened(subprotocol: string): void {
    super.opened(subprotocol);
    this.#stream = this.#first = undefined;
  }

  override subscribe(stream: string): void {
    this.#stream = stream;
    super.subscribe(stream);
  }

  /** An action needs a subscription, if only to a stream of no broadcasts. */
  echo(data: string): boolean {
    if (this.#stream !== undefined) return this.#act('echo', this.#stream, data);
    this.#first = data;
    this.subscribe(echoStream);
    return true;
  }

  broadcast(stream: string, data: string): boolean {
    return this.#act('broadcast', stream, data);
  }

  protected override confirmed(stream: string): void {
    super.confirmed(stream);
    if (this.#first !== undefined) this.#act('echo', stream, this.#first);
    this.#first = undefined;
  }

  #act(action: string, stream: string, payload: string): boolean {
    const identifier = this.channel.identifierOf(stream);
    const data = `{"action":"${action}","payload":${payload}}`;
    return this.sink.say(JSON.stringify({ command: 'message', identifier, data }));
  }
}
