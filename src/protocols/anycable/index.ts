import { z } from 'zod';
import type { Reply } from '../../wire/wire.js';
import type { Protocol, ProtocolValues, SessionSink } from '../protocol.js';
import {
  AnycableSession,
  echoStream,
  extendedProtocol,
  plainProtocol,
  type RailsChannel,
  type Subprotocol,
} from './session.js';

/** Pings of Action Cable, which the real client does not answer either. */
const heartbeats: readonly Reply[] = [{ received: '{"type":"ping"', isPrefix: true }];

/** Returns the parts of a protocol that are the same for all channels and clients of Action Cable. */
export function cableOf(subprotocol: Subprotocol) {
  return { subprotocols: [subprotocol], replies: heartbeats, defaultPath: '/cable' } satisfies Partial<Protocol>;
}

/** Describes the own parts of a protocol over Action Cable. `channelOf` returns the channel of a Rails server. */
type CableProtocol = Omit<Protocol, keyof ReturnType<typeof cableOf> | 'library' | 'libraryClients'> & {
  channelOf?(options: ProtocolValues): RailsChannel;
};

/** Returns a protocol over Action Cable, with the clients of `@anycable/core`. */
function overCable(subprotocol: Subprotocol, { channelOf, ...own }: CableProtocol): Protocol {
  return {
    ...own,
    ...cableOf(subprotocol),
    library: '@anycable/core',
    libraryClients: async (setup, events) => {
      const { AnycableClients, RailsClients } = await import('./library.js');
      if (channelOf === undefined) return new AnycableClients(setup, events, subprotocol);
      return new RailsClients(setup, events, subprotocol, channelOf(setup.options));
    },
  };
}

const session: Protocol['session'] = (sink) => new AnycableSession(sink);

/** Offered alone, as the real client does: given both subprotocols, anycable-go picks `actioncable-v1-json`. */
export const anycable = overCable(extendedProtocol, {
  session,
  name: 'anycable',
  summary: 'AnyCable over actioncable-v1-ext-json: public and signed streams, resumed from history',
  verbs: ['subscribe', 'streams', 'whisper', 'resume'],
});

/** The plain protocol that AnyCable speaks with clients that offer nothing else. */
export const actioncable = overCable(plainProtocol, {
  session,
  name: 'actioncable',
  summary: 'AnyCable over plain actioncable-v1-json: the same streams without history',
  verbs: ['subscribe', 'streams', 'whisper'],
});

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
class RailsSession extends AnycableSession {
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
