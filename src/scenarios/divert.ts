import type { ClientEvents } from '../protocols/protocol.js';
import type { RoleContext } from './scenario.js';

/** What follows clients from an instant on; the first gets all batches. */
export type LaterEvents = Omit<ClientEvents, 'deliveries' | 'acknowledgements' | 'sends'>;

/** The same with those that it follows by now. */
export type LaterClients = LaterEvents & { isMember(client: number): boolean };

/** Passes the events of clients that `isLater` names to `later`, and all others and every batch to `first`. */
export function divert(first: ClientEvents, later: LaterEvents, isLater: (client: number) => boolean): ClientEvents {
  const of = (client: number): LaterEvents => (isLater(client) ? later : first);
  return {
    opened: (client, ...times) => of(client).opened(client, ...times),
    ready: (client) => of(client).ready(client),
    subscribed: (client, stream) => of(client).subscribed(client, stream),
    closed: (client, cause, wasOpen) => of(client).closed(client, cause, wasOpen),
    resumed: (client, wasRecovered) => of(client).resumed(client, wasRecovered),
    deliveries: (batch) => first.deliveries(batch),
    acknowledgements: (batch) => first.acknowledgements?.(batch),
    sends: (batch) => first.sends?.(batch),
  };
}

/** The same context, but `later` gets the events of its members. */
export function diverted<C extends Pick<RoleContext<unknown>, 'openClients'>>(context: C, later: LaterClients): C {
  const isLater = (client: number): boolean => later.isMember(client);
  return { ...context, openClients: (events) => context.openClients(divert(events, later, isLater)) };
}
