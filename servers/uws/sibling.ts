import { UwsApp } from './app.js';
import { loadLibrary } from './library.js';
import type { ToFirst, ToSibling } from './talk.js';

/**
 * A further process of the target, on a free port of the host in its first argument. It lives as long as its channel to the first process, which
 * ends with that process however it dies. Signals of the terminal reach the whole group: the first process alone acts on them.
 */
process.once('disconnect', end);
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const app = new UwsApp(await loadLibrary(), {
  settings: {},
  relay: (stream, text) => say({ kind: 'publish', stream, text }),
});
process.on('message', (message: ToSibling) => {
  if (message.kind === 'publish') app.publish(message.stream, message.text);
  else say({ kind: 'stats', stats: app.ownStats() });
});
say({ kind: 'listening', port: await app.listen(process.argv[2]!, 0) });
// The channel may have closed before there was anybody to hear it.
if (!process.connected) end();

function say(message: ToFirst): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) end();
  });
}

function end(): void {
  process.exit(0);
}
