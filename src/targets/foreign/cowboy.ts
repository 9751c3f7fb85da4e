import { foreignServer } from '../launch/managed-server.js';
import { cowboyIn, cowboy as need } from '../needs/debian.js';
import { folderOf } from '../needs/place.js';

const summary = 'Cowboy 2.8 and process groups, in Erlang';
const program = { needs: [need], command: () => cowboyIn(folderOf(need)) };

/** Erlang's best known HTTP server, with its WebSockets. */
export const cowboy = foreignServer({ ...program, name: 'cowboy', summary, protocol: 'ws-json', wsPath: '/ws' });

/** The same server with the messages of websocket-shootout. */
export const cowboyShootout = foreignServer({
  ...program,
  name: 'cowboy-shootout',
  summary: `${summary}, the messages of websocket-shootout`,
  protocol: 'shootout',
  wsPath: '/shootout',
});
