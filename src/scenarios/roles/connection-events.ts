import type { Cause, ClientEvents, Clients, DeliveryBatch, SendBatch } from '../../protocols/protocol.js';
import type { RoleContext } from '../scenario.js';

/** Proves clients if a subscription to the stream of the run does not. */
export interface ProofHooks {
  /** Called for a ready client instead of subscribing it to the stream of the run. */
  prove?(clients: Clients, client: number): void;
  /** Called now and then for a client that is open and not proven. */
  proveAgain?(clients: Clients, client: number): void;
}

/** Handles the events of a role's connections. Batches are passed to these functions themselves. */
export interface ConnectionHooks extends ProofHooks {
  subscribed?(client: number): void;
  lost?(client: number, cause: Cause): void;
  ponged?(client: number): void;
  deliveries(batch: DeliveryBatch): void;
  acknowledgements?(batch: DeliveryBatch): void;
  sends?(batch: SendBatch): void;
}

/** Handles the events of clients from an instant on. Batches go straight to the book instead. */
export type LaterEvents = Omit<ClientEvents, 'deliveries' | 'acknowledgements' | 'sends'>;

/** Also names the clients that it currently follows. */
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
    deliveries: first.deliveries.bind(first),
    ...(first.acknowledgements && { acknowledgements: first.acknowledgements.bind(first) }),
    ...(first.sends && { sends: first.sends.bind(first) }),
  };
}

/** Returns a context whose `later` receives the events of its members. */
export function diverted<C extends Pick<RoleContext<unknown>, 'openClients'>>(context: C, later: LaterClients): C {
  const isLater = (client: number): boolean => later.isMember(client);
  return { ...context, openClients: (events) => context.openClients(divert(events, later, isLater)) };
}
