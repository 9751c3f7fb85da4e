import type { ClientEvents } from '../../src/protocols/protocol.js';

/** For tests: the same events, but for those that a test handles before it passes them on. */
export function listening(events: ClientEvents, own: Partial<ClientEvents>): ClientEvents {
  return {
    opened: (...args) => events.opened(...args),
    ready: (client) => events.ready(client),
    subscribed: (...args) => events.subscribed(...args),
    closed: (...args) => events.closed(...args),
    resumed: (...args) => events.resumed(...args),
    ponged: (client) => events.ponged?.(client),
    deliveries: (batch) => events.deliveries(batch),
    acknowledgements: (batch) => events.acknowledgements?.(batch),
    sends: (batch) => events.sends?.(batch),
    ...own,
  };
}
