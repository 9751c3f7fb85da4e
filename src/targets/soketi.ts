import { soketi as need, soketiIn } from './needs/list.js';
import { folderOf } from './needs/place.js';
import { pusherServer } from './pusher-server.js';

/** Every setting that differs from Soketi's defaults: clients may whisper. */
const environment = { SOKETI_DEFAULT_APP_ENABLE_CLIENT_MESSAGES: 'true' };

/** Soketi with its defaults and its own app, run by this Node. Its metrics stay off, as they cost work per delivery. */
export const soketi = pusherServer({
  name: 'soketi',
  summary: 'Soketi 1.6 with its in-memory adapter',
  settings: { 'uWebSockets.js': '20.51.4 (@uwsjs/core), not 20.10.0', ...environment },
  need,
  command: () => [process.execPath, soketiIn(folderOf(need))],
  startArgs: ['start'],
  environment: ({ host, port }) => ({
    ...environment,
    SOKETI_HOST: host,
    SOKETI_PORT: String(port),
    // Even without metrics it listens there. On a fixed port, several at once would share it.
    SOKETI_METRICS_HOST: host,
    SOKETI_METRICS_SERVER_PORT: '0',
  }),
});
