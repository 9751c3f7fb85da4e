import { join } from 'node:path';
import { foreignServer } from '../launch/managed-server.js';
import { emWebsocket as need } from '../needs/debian.js';
import { serverFolder } from '../needs/filling.js';

const summary = 'em-websocket 0.5 on EventMachine, in Ruby';
const program = { needs: [need], command: () => ['ruby', join(serverFolder('em-websocket'), 'main.rb')] as const };

/** Ruby's WebSockets in the reactor of EventMachine. */
export const emWebsocket = foreignServer({
  ...program,
  name: 'em-websocket',
  summary,
  protocol: 'ws-json',
  wsPath: '/ws',
});

/** The same server with the messages of websocket-shootout. */
export const emWebsocketShootout = foreignServer({
  ...program,
  name: 'em-websocket-shootout',
  summary: `${summary}, the messages of websocket-shootout`,
  protocol: 'shootout',
  wsPath: '/shootout',
});
