import type { Protocol } from '../protocol.js';
import { WsJsonSession } from './session.js';

/** JSON over a bare WebSocket: the protocol of the targets `ws` and `uws`. */
export const wsJson: Protocol = {
  name: 'ws-json',
  summary: 'JSON over a bare WebSocket: subscribe, subscribed, then the published data as it is',
  verbs: ['subscribe', 'echo', 'whisper', 'broadcast'],
  subprotocols: [],
  defaultPath: '/ws',
  library: 'ws',
  session: (sink) => new WsJsonSession(sink),
  libraryClients: async (setup, events) => {
    const { WsClients } = await import('../library/ws-clients.js');
    return new WsClients(setup, events, wsJson);
  },
};
