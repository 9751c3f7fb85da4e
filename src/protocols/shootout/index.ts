import { overWs } from '../library/over-ws.js';
import type { Protocol } from '../protocol.js';
import { ShootoutCableSession } from './cable-session.js';
import { ShootoutSession } from './session.js';

const shared = {
  verbs: ['echo', 'broadcast', 'acknowledge'],
  // The answer to a broadcast's sender, in both forms.
  acknowledgement: 'broadcastResult',
} satisfies Partial<Protocol>;

/** The two messages of hashrocket's websocket-shootout: an echo, and a broadcast to every connected client. */
export const shootout = overWs({
  ...shared,
  name: 'shootout',
  summary: 'websocket-shootout: JSON over a bare WebSocket, echo and broadcast to all that are connected, no streams',
  subprotocols: [],
  defaultPath: '/ws',
  session: (sink) => new ShootoutSession(sink),
});

/** The same messages as actions of an Action Cable channel. */
export const shootoutCable = overWs({
  ...shared,
  name: 'shootout-cable',
  summary: 'websocket-shootout over Action Cable: echo and broadcast as actions of BenchmarkChannel',
  subprotocols: ['actioncable-v1-json'],
  defaultPath: '/cable',
  session: (sink) => new ShootoutCableSession(sink),
});
