import type { ClientEvents } from './protocol.js';
import type { Trails } from './trails.js';

/** Events that go on as they are, and tell trails how far each client came. */
export function trailing(events: ClientEvents, trails: Trails): ClientEvents {
  return {
    ...events,
    opened: (client, ...times) => {
      trails.reached(client, 'opened');
      events.opened(client, ...times);
    },
    ready: (client) => {
      trails.reached(client, 'ready');
      events.ready(client);
    },
    subscribed: (client, stream) => {
      events.subscribed(client, stream);
      trails.settled(client);
    },
    closed: (client, cause, wasOpen) => {
      events.closed(client, cause, wasOpen);
      trails.settled(client);
    },
  };
}
