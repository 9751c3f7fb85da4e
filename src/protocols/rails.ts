import { z } from 'zod';
import { overCable } from './anycable/index.js';
import { AnycableSession, echoStream, extendedProtocol, plainProtocol, type RailsChannel } from './anycable/session.js';
import type { ProtocolValues, SessionSink } from './protocol.js';

const railsOptions = z.strictObject({
  railsChannel: z
    .string()
    .regex(/^[A-Z]\w*(::[A-Z]\w*)*$/, 'expected a class of Ruby, such as ChatChannel')
    .optional()
    .meta({
      flag: 'rails-channel',
      placeholder: 'class',
      help: 'channel class of the Rails server; by default BenchmarkChannel',
    }),
  railsParameter: z
    .string()
    .regex(/^[a-z_]\w*$/, 'expected a name of Ruby, such as room')
    .optional()
    .meta({
      flag: 'rails-parameter',
      placeholder: 'name',
      help: 'parameter of that channel that names the stream; by default stream_name',
    }),
});

/** Returns the channel of checked values of `railsOptions`. Default: that of websocket-shootout and its successors. */
function railsChannel(options: ProtocolValues): RailsChannel {
  const { railsChannel: className = 'BenchmarkChannel', railsParameter = 'stream_name' } = options as z.output<
    typeof railsOptions
  >;
  const paramsOf = (stream: string) => ({ [railsParameter]: stream });
  return {
    className,
    paramsOf,
    identifierOf: (stream) => JSON.stringify({ channel: className, ...paramsOf(stream) }),
    nameOf: (stream) => stream,
  };
}

/** Session of a Rails application's channel. It adds echo and broadcast to AnyCable's as actions of the channel. */
export class RailsSession extends AnycableSession {
  #stream: string | undefined;
  /** Echoes that wait for the channel, or undefined once it is there. */
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

  /** Sends an echo. An action needs a subscription, if only to a stream of no broadcasts. */
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

const actions = {
  // The answer to a broadcast's sender.
  acknowledgement: 'broadcastResult',
  session: (sink: SessionSink, options: ProtocolValues) => new RailsSession(sink, railsChannel(options)),
  channelOf: railsChannel,
};

/** Action Cable itself has no whispers and no history. */
export const rails = overCable(plainProtocol, {
  ...actions,
  options: railsOptions,
  name: 'rails',
  summary: 'Rails Action Cable: a channel with the stream as a parameter, echo and broadcast as its actions',
  verbs: ['subscribe', 'streams', 'echo', 'broadcast', 'acknowledge'],
});

/** AnyCable in front of the same application adds whispers and history. */
export const railsAnycable = overCable(extendedProtocol, {
  ...actions,
  name: 'rails-anycable',
  summary: 'the same channel behind AnyCable, over actioncable-v1-ext-json: resumed from history, with whispers',
  verbs: ['subscribe', 'streams', 'echo', 'broadcast', 'acknowledge', 'whisper', 'resume'],
});
