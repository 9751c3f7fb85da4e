import type { Protocol } from '../protocol.js';

/** A protocol without a client library of its own: real clients use the `ws` package. */
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
