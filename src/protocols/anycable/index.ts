import { type CableProtocol, extendedProtocol, overCable, plainProtocol } from './cable.js';
import { AnycableSession } from './session.js';

const streams = {
  session: (sink) => new AnycableSession(sink),
  clients: async () => (await import('./library.js')).AnycableClients,
} satisfies Partial<CableProtocol>;

/** Offered alone, as the real client does: given both subprotocols, anycable-go picks `actioncable-v1-json`. */
export const anycable = overCable(extendedProtocol, {
  ...streams,
  name: 'anycable',
  summary: 'AnyCable over actioncable-v1-ext-json: public and signed streams, resumed from history',
  verbs: ['subscribe', 'streams', 'whisper', 'resume'],
});

/** The plain protocol that AnyCable speaks with clients that offer nothing else. */
export const actioncable = overCable(plainProtocol, {
  ...streams,
  name: 'actioncable',
  summary: 'AnyCable over plain actioncable-v1-json: the same streams without history',
  verbs: ['subscribe', 'streams', 'whisper'],
});
