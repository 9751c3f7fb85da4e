import { fail, runServer, type TargetServer } from '../foreground.js';
import { siblingOptions, siblingWays } from '../siblings/sibling.js';
import { Siblings, sumOf } from '../siblings/siblings.js';
import { UwsApp } from './app.js';
import { compressionSettings, loadUws, type UwsLibrary } from './library.js';
import type { UwsFacts } from './sibling.js';

await runServer('uws', ({ processes, values }) => createServer(loadUws('uws', values.packages), processes, values), {
  takesProcesses: true,
  valued: [...siblingOptions, 'packages', 'compression'],
});

/** Creates the first of `processes`, which also serves. It reports for all of them. */
function createServer(library: UwsLibrary, processes: number, values: Readonly<Record<string, string>>): TargetServer {
  const ways = siblingWays('uws', values);
  const { reviveAfterMs } = ways;
  const facts: UwsFacts = { packages: values.packages, compression: values.compression };
  const siblings = new Siblings({
    ...ways,
    facts,
    program: new URL('sibling.js', import.meta.url),
    published: (stream, text) => app.publish(stream, text),
    // A target that silently lost a process would falsify every count.
    lost: (why) => fail('uws', why, 1),
  });
  const isAlone = processes === 1;
  let port = 0;
  const app = new UwsApp(library, {
    settings: {
      ...compressionSettings(values),
      ...(!isAlone && { processes }),
      ...(reviveAfterMs !== undefined && { reviveAfterMs }),
    },
    relay: (stream, text) => siblings.relay(stream, text),
    stats: async () => (isAlone ? app.ownStats() : sumOf({ port, stats: app.ownStats() }, await siblings.stats())),
  });
  return {
    version: library.version,
    async listen(host, wanted) {
      // Siblings take free ports, so they must not start first.
      port = await app.listen(host, wanted);
      return [port, ...(await siblings.start(processes - 1, host))];
    },
    async close() {
      // All processes close at once, because closing tens of thousands of connections takes each some time.
      const gone = siblings.close();
      app.close();
      await gone;
    },
  };
}
