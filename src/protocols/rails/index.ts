import { extendedProtocol, heartbeats, plainProtocol } from '../anycable/session.js';
import type { Protocol } from '../protocol.js';
import { RailsSession } from './session.js';

function overRails(
  subprotocol: typeof extendedProtocol | typeof plainProtocol,
  own: Pick<Protocol, 'name' | 'summary' | 'verbs'>,
): Protocol {
  return {
    ...own,
    subprotocols: [subprotocol],
    replies: heartbeats,
    defaultPath: '/cable',
    // The answer to a broadcast's sender.
    acknowledgement: 'broadcastResult',
    library: '@anycable/core',
    session: (sink) => new RailsSession(sink),
    libraryClients: async (setup, events) => {
      const { RailsClients } = await import('./library.js');
      return new RailsClients(setup, events, subprotocol);
    },
  };
}

/** Action Cable itself has no whispers, and no history. */
export const rails = overRails(plainProtocol, {
  name: 'rails',
  summary: 'Rails Action Cable: BenchmarkChannel with the stream as a parameter, echo and broadcast as its actions',
  verbs: ['subscribe', 'echo', 'broadcast', 'acknowledge'],
});

/** AnyCable in front of the same application adds both. */
export const railsAnycable = overRails(extendedProtocol, {
  name: 'rails-anycable',
  summary: 'the same channel behind AnyCable, over actioncable-v1-ext-json: resumed from history, with whispers',
  verbs: ['subscribe', 'echo', 'broadcast', 'acknowledge', 'whisper', 'resume'],
});
