import type { Protocol } from '../protocol.js';
import { AnycableSession, extendedProtocol, heartbeats, plainProtocol } from './session.js';

function overAnycable(
  subprotocol: typeof extendedProtocol | typeof plainProtocol,
  own: Pick<Protocol, 'name' | 'summary' | 'verbs'>,
): Protocol {
  return {
    ...own,
    subprotocols: [subprotocol],
    replies: heartbeats,
    defaultPath: '/cable',
    library: '@anycable/core',
    session: (sink) => new AnycableSession(sink),
    libraryClients: async (setup, events) => {
      const { AnycableClients } = await import('./library.js');
      return new AnycableClients(setup, events, subprotocol);
    },
  };
}

/** Offered alone, as the real client does: given both subprotocols, anycable-go picks `actioncable-v1-json`. */
export const anycable = overAnycable(extendedProtocol, {
  name: 'anycable',
  summary: 'AnyCable over actioncable-v1-ext-json: public and signed streams, resumed from history',
  verbs: ['subscribe', 'whisper', 'resume'],
});

/** The plain protocol that AnyCable speaks with clients that offer nothing else. */
export const actioncable = overAnycable(plainProtocol, {
  name: 'actioncable',
  summary: 'AnyCable over plain actioncable-v1-json: the same streams without history',
  verbs: ['subscribe', 'whisper'],
});
