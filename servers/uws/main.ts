import { fail, runServer, type TargetServer } from '../foreground.js';
import { UwsApp } from './app.js';
import { type Library, loadLibrary } from './library.js';
import { Siblings } from './siblings.js';
import { sumOf } from './sum.js';

await runServer('uws', async ({ processes }) => createServer(await loadLibrary(), processes), {
  takesProcesses: true,
});

/** This process serves, too: of `processes` it is the first, and the one that speaks for all of them. */
function createServer(library: Library, processes: number): TargetServer {
  const siblings = new Siblings({
    published: (stream, text) => app.publish(stream, text),
    // A target that lost a part in silence would falsify every count.
    lost: (why) => fail('uws', why, 1),
  });
  const isAlone = processes === 1;
  let port = 0;
  const app = new UwsApp(library, {
    settings: isAlone ? {} : { processes },
    relay: (stream, text) => siblings.relay(stream, text),
    stats: async () => (isAlone ? app.ownStats() : sumOf({ port, stats: app.ownStats() }, await siblings.stats())),
  });
  return {
    version: app.version,
    async listen(host, wanted) {
      // Before its siblings, who take free ports and might take this one.
      port = await app.listen(host, wanted);
      return [port, ...(await siblings.start(processes - 1, host))];
    },
    async close() {
      // All at once: closing tens of thousands of connections takes each process a while.
      const gone = siblings.close();
      app.close();
      await gone;
    },
  };
}
