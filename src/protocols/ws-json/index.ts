import type { Protocol } from '../protocol.js';
import { WsJsonSession } from './session.js';

/** JSON over a bare WebSocket: the protocol of the targets `ws` and `uws`. */
export const wsJson: Protocol = {
  name: 'ws-json',
  summary: 'JSON over a bare WebSocket: subscribe, subscribed, then the published data as it is',
  verbs: ['subscribe', 'echo', 'whisper'],
  subprotocols: [],
  defaultPath: '/ws',
  library: 'ws',
  session: (sink) => new WsJsonSession(sink),
  libraryClients: async (setup, events) => {
    const { WsJsonClients } = await import('./library.js');
    return new WsJsonClients(setup, events);
  },
};
