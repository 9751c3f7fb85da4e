import { AnycableSession } from '../anycable/session.js';
import { echoStream } from './channel.js';

/** Session of a Rails application's channel: that of AnyCable, with echo and broadcast as actions of the channel. */
export class RailsSession extends AnycableSession {
  #stream: string | undefined;
  /** Echoes that wait for the channel; undefined once it is there. */
  #waiting: string[] | undefined = [];

  override opened(subprotocol: string): void {
    super.opened(subprotocol);
    this.#stream = undefined;
    this.#waiting = [];
  }

  override subscribe(stream: string): void {
    this.#stream = stream;
    super.subscribe(stream);
  }

  /** An action needs a subscription, if only to a stream of no broadcasts. */
  echo(data: string): boolean {
    const stream = this.#stream ?? echoStream;
    if (this.#waiting === undefined) return this.#act('echo', stream, data);
    this.#waiting.push(data);
    this.subscribe(stream);
    return true;
  }

  broadcast(stream: string, data: string): boolean {
    return this.#act('broadcast', stream, data);
  }

  protected override confirmed(stream: string): void {
    super.confirmed(stream);
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const data of waiting) this.#act('echo', stream, data);
  }

  #act(action: string, stream: string, payload: string): boolean {
    const identifier = this.channel.identifierOf(stream);
    const data = `{"action":"${action}","payload":${payload}}`;
    return this.sink.say(JSON.stringify({ command: 'message', identifier, data }));
  }
}
