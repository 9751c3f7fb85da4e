import type { Protocol } from '../protocol.js';
import { AnycableSession, extendedProtocol, plainProtocol } from './session.js';

export { signStream } from './stream-name.js';

const shared = {
  defaultPath: '/cable',
  library: '@anycable/core',
  session: (sink) => new AnycableSession(sink),
} satisfies Partial<Protocol>;

/**
 * AnyCable's extended protocol, offered alone as the real client does: given both, anycable-go picks
 * `actioncable-v1-json`.
 */
export const anycable: Protocol = {
  ...shared,
  name: 'anycable',
  summary: 'AnyCable over actioncable-v1-ext-json: public and signed streams, resumed from history',
  verbs: ['subscribe', 'whisper', 'resume'],
  subprotocols: [extendedProtocol],
  libraryClients: async (setup, events) => {
    const { AnycableClients } = await import('./library.js');
    return new AnycableClients(setup, events, extendedProtocol);
  },
};

/** The plain protocol that AnyCable speaks with clients that offer nothing else: the same streams without history. */
export const actioncable: Protocol = {
  ...shared,
  name: 'actioncable',
  summary: 'AnyCable over plain actioncable-v1-json: the same streams without history',
  verbs: ['subscribe', 'whisper'],
  subprotocols: [plainProtocol],
  libraryClients: async (setup, events) => {
    const { AnycableClients } = await import('./library.js');
    return new AnycableClients(setup, events, plainProtocol);
  },
};
