import type { Cause, Clients, DeliveryBatch, SendBatch } from '../../protocols/protocol.js';

/** How clients are proven, where a subscription to the stream of the run does not prove them. */
export interface ProofHooks {
  /** What a ready client does instead of subscribing to the stream of the run. */
  prove?(clients: Clients, client: number): void;
  /** Called now and then for a client that is open and not proven. */
  proveAgain?(clients: Clients, client: number): void;
}

/** What a role does with the events of its connections. */
export interface ConnectionHooks extends ProofHooks {
  subscribed?(client: number): void;
  lost?(client: number, cause: Cause): void;
  ponged?(client: number): void;
  deliveries(batch: DeliveryBatch): void;
  acknowledgements?(batch: DeliveryBatch): void;
  sends?(batch: SendBatch): void;
}
