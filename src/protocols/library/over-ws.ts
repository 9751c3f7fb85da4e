import type { Protocol } from '../protocol.js';

/** Returns a protocol without its own client library, whose real clients use the `ws` package. */
export function overWs(own: Omit<Protocol, 'library' | 'libraryClients'>): Protocol {
  const protocol: Protocol = {
    ...own,
    library: 'ws',
    libraryClients: async (setup, events) => {
      const { WsClients } = await import('./ws-clients.js');
      return new WsClients(setup, events, protocol);
    },
  };
  return protocol;
}
