import type { Protocol } from '../protocol.js';
import { ShootoutCableSession } from './cable-session.js';
import { ShootoutSession } from './session.js';

/** The name of the answer to a broadcast's sender, in both forms. */
const acknowledgement = 'broadcastResult';

/** The two messages of hashrocket's websocket-shootout: an echo, and a broadcast to every client that is connected. */
export const shootout: Protocol = {
  name: 'shootout',
  summary: 'websocket-shootout: JSON over a bare WebSocket, echo and broadcast to all that are connected, no streams',
  verbs: ['echo', 'broadcast', 'acknowledge'],
  subprotocols: [],
  defaultPath: '/ws',
  acknowledgement,
  library: 'ws',
  session: (sink) => new ShootoutSession(sink),
  libraryClients: async (setup, events) => {
    const { WsClients } = await import('../library/ws-clients.js');
    return new WsClients(setup, events, shootout);
  },
};

/** The same messages as actions of an Action Cable channel. */
export const shootoutCable: Protocol = {
  name: 'shootout-cable',
  summary: 'websocket-shootout over Action Cable: echo and broadcast as actions of BenchmarkChannel',
  verbs: ['echo', 'broadcast', 'acknowledge'],
  subprotocols: ['actioncable-v1-json'],
  defaultPath: '/cable',
  acknowledgement,
  library: 'ws',
  session: (sink) => new ShootoutCableSession(sink),
  libraryClients: async (setup, events) => {
    const { WsClients } = await import('../library/ws-clients.js');
    return new WsClients(setup, events, shootoutCable);
  },
};
