import type { Clients } from '../../protocols/protocol.js';
import type { AudienceContext } from '../scenario.js';

/** A worker's context in which a ready client does `prove` instead of subscribing to the stream of the run. */
export function withOwnReady<O>(
  context: AudienceContext<O>,
  made: (clients: Clients) => void,
  prove: (clients: Clients, client: number) => void,
): AudienceContext<O> {
  return {
    ...context,
    async openClients(events) {
      const clients = await context.openClients(events);
      made(clients);
      return {
        open: (client) => clients.open(client),
        subscribe: (client) => prove(clients, client),
        drop: (client, mode) => clients.drop(client, mode),
        dispose: () => clients.dispose(),
      };
    },
  };
}
