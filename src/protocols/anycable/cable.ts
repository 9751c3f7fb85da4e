import { jsonIn } from '../../units/text.js';
import type { Reply } from '../../wire/wire.js';
import type { ClientEvents, Clients, LibrarySetup, Protocol } from '../protocol.js';

/** A channel of Action Cable that streams a stream. Maps the stream to the name in subscriptions and deliveries. */
export interface Channel {
  identifierOf(stream: string): string;
  /** Returns undefined if the delivery does not name the stream. */
  nameOf(stream: string): string | undefined;
}

/** AnyCable's pub/sub channel. Only a signed name, `base64(JSON name)--hmac`, has `--`. */
export const pubsubChannel: Channel = {
  identifierOf: (stream) =>
    JSON.stringify({ channel: '$pubsub', [isSigned(stream) ? 'signed_stream_name' : 'stream_name']: stream }),
  nameOf(stream) {
    if (!isSigned(stream)) return stream;
    const name = jsonIn(Buffer.from(stream.slice(0, stream.indexOf('--')), 'base64').toString());
    return typeof name === 'string' ? name : undefined;
  },
};

export function isSigned(stream: string): boolean {
  return stream.includes('--');
}

/** The extended protocol of AnyCable: Action Cable plus positions, history and session ids. */
export const extendedProtocol = 'actioncable-v1-ext-json';
/** The protocol of Rails' Action Cable. */
export const plainProtocol = 'actioncable-v1-json';

/** Pings of Action Cable, which the real client does not answer either. */
const heartbeats: readonly Reply[] = [{ received: '{"type":"ping"', isPrefix: true }];

export type Subprotocol = typeof extendedProtocol | typeof plainProtocol;

/** Returns the parts of a protocol that are the same for all channels and clients of Action Cable. */
export function cableOf(subprotocol: Subprotocol) {
  return { subprotocols: [subprotocol], replies: heartbeats, defaultPath: '/cable' } satisfies Partial<Protocol>;
}

/** Describes the own parts of a protocol over Action Cable. `clients` loads the class of its library clients. */
export type CableProtocol = Omit<Protocol, keyof ReturnType<typeof cableOf> | 'library' | 'libraryClients'> & {
  clients(): Promise<new (setup: LibrarySetup, events: ClientEvents, subprotocol: Subprotocol) => Clients>;
};

/** Returns a protocol over Action Cable, with the clients of `@anycable/core`. */
export function overCable(subprotocol: Subprotocol, { clients, ...own }: CableProtocol): Protocol {
  return {
    ...own,
    ...cableOf(subprotocol),
    library: '@anycable/core',
    libraryClients: async (setup, events) => {
      const CableClients = await clients();
      return new CableClients(setup, events, subprotocol);
    },
  };
}
