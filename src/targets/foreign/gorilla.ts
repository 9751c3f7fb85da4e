import { join } from 'node:path';
import { foreignServer } from '../launch/managed-server.js';
import { gorilla as need } from '../needs/list.js';
import { folderOf } from '../needs/place.js';

const summary = 'gorilla/websocket 1.5 on net/http, in Go';
const program = { needs: [need], command: () => [join(folderOf(need), 'gorilla')] as const };

/** Go's best known WebSocket library, as in its chat example. */
export const gorilla = foreignServer({ ...program, name: 'gorilla', summary, protocol: 'ws-json', wsPath: '/ws' });

/** The same server with the messages of websocket-shootout. */
export const gorillaShootout = foreignServer({
  ...program,
  name: 'gorilla-shootout',
  summary: `${summary}, the messages of websocket-shootout`,
  protocol: 'shootout',
  wsPath: '/shootout',
});
