import type { ClientEvents } from '../protocols/protocol.js';

/** Tells `later` what happens to the clients that `isLater` names, and `first` everything else, deliveries included. */
export function divert(first: ClientEvents, later: ClientEvents, isLater: (client: number) => boolean): ClientEvents {
  const of = (client: number): ClientEvents => (isLater(client) ? later : first);
  return {
    opened: (client, tcpNs, upgradeNs) => of(client).opened(client, tcpNs, upgradeNs),
    ready: (client) => of(client).ready(client),
    subscribed: (client, stream) => of(client).subscribed(client, stream),
    closed: (client, cause, wasOpen) => of(client).closed(client, cause, wasOpen),
    resumed: (client, wasRecovered) => of(client).resumed(client, wasRecovered),
    deliveries: (batch) => first.deliveries(batch),
  };
}
