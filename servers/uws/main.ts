import { fail, runServer, type TargetServer } from '../foreground.js';
import { UwsApp } from './app.js';
import { type Library, loadLibrary } from './library.js';
import { Siblings, sumOf } from './siblings.js';

await runServer(
  'uws',
  ({ processes, values }) => createServer(loadLibrary('uws', values.packages), processes, values),
  {
    takesProcesses: true,
    valued: ['further-ports', 'revive', 'packages'],
  },
);

/** This process serves, too: of `processes` it is the first, and the one that speaks for all of them. */
function createServer(library: Library, processes: number, values: Readonly<Record<string, string>>): TargetServer {
  const ports = (values['further-ports'] ?? '').split(',').flatMap((each) => wholeNumber('further-ports', each));
  const [reviveAfterMs] = wholeNumber('revive', values.revive ?? '');
  const siblings = new Siblings({
    ports,
    reviveAfterMs,
    packages: values.packages,
    published: (stream, text) => app.publish(stream, text),
    // A target that silently lost a process would falsify every count.
    lost: (why) => fail('uws', why, 1),
  });
  const isAlone = processes === 1;
  let port = 0;
  const app = new UwsApp(library, {
    settings: { ...(!isAlone && { processes }), ...(reviveAfterMs !== undefined && { reviveAfterMs }) },
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
      // All at once: closing tens of thousands of connections takes each process a while.
      const gone = siblings.close();
      app.close();
      await gone;
    },
  };
}

function wholeNumber(flag: string, text: string): number[] {
  if (text === '') return [];
  return /^\d+$/.test(text) ? [Number(text)] : fail('uws', `--${flag} must be whole numbers, not ${text}`, 2);
}
