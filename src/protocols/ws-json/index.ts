import { overWs } from '../library/over-ws.js';
import { WsJsonSession } from './session.js';

/** JSON over a bare WebSocket: the protocol of the targets `ws` and `uws`. */
export const wsJson = overWs({
  name: 'ws-json',
  summary: 'JSON over a bare WebSocket: subscribe, subscribed, then the published data as it is',
  verbs: ['subscribe', 'echo', 'whisper', 'broadcast'],
  subprotocols: [],
  defaultPath: '/ws',
  session: (sink) => new WsJsonSession(sink),
});
