import { UwsApp } from './app.js';
import { loadLibrary } from './library.js';
import type { ToFirst, ToSibling } from './siblings.js';

/**
 * A further process of the target. Arguments: host, port (0 for a free one), `revived` if another takes
 * its place, and the folder of `--packages`.
 * It lives as long as its channel to the first process. A terminal's signals reach the whole group, and only the first
 * process acts on them, unless this one is ended by itself.
 */
process.once('disconnect', end);
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => {
  if (revived !== 'revived') return;
  app.close();
  end();
});

const [host = '', port = '0', revived, packages] = process.argv.slice(2);

const app = new UwsApp(loadLibrary('uws', packages || undefined), {
  settings: {},
  relay: (stream, text) => say({ kind: 'publish', stream, text }),
});
process.on('message', (message: ToSibling) => {
  if (message.kind === 'publish') app.publish(message.stream, message.text);
  else say({ kind: 'stats', stats: app.ownStats() });
});
say({ kind: 'listening', port: await app.listen(host, Number(port)) });
// The channel may have closed before anybody listened to it.
if (!process.connected) end();

function say(message: ToFirst): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) end();
  });
}

function end(): void {
  process.exit(0);
}
