import type { Reply } from '../../wire/wire.js';
import type { Protocol, ProtocolValues } from '../protocol.js';
import { AnycableSession, extendedProtocol, plainProtocol, type RailsChannel, type Subprotocol } from './session.js';

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
export function overCable(subprotocol: Subprotocol, { channelOf, ...own }: CableProtocol): Protocol {
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
