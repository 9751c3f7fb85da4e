import { setTimeout as delay } from 'node:timers/promises';
import { packageFile } from '../../../src/units/package-files.js';
import { countText } from '../../../src/units/text.js';
import type { BenchContext, Bound, Finding } from '../judge.js';
import { withTarget } from '../processes/places.js';
import { Program } from '../processes/program.js';
import { askCounts, connectsPerSecond, floorArguments } from '../readers/counting.js';
import { nativeLack, type Place, withFloor } from '../readers/reader.js';
import { audienceJob, clientSides } from '../readers/shard.js';
import { measureSides } from '../rounds.js';

const clients = 10_000;
const pollEveryMs = 50;
const sourcesPerTurn = 8;

/** Compares the CPU per WebSocket, from the start of TCP to the answered upgrade, of both engines and a bare opener. */
export function engineOpening(
  { ofJs }: Record<'ofJs', Bound>,
  { isQuick, signal, say }: BenchContext,
): Promise<Finding[]> {
  return withFloor((floor) =>
    withTarget(async (target) => {
      const side = (name: string, open: (place: Place, sources: readonly string[]) => Promise<number>) => ({
        name,
        async round(turn: number) {
          // Ports in TIME_WAIT would slow the search for a free one, so each turn has its own addresses.
          const sources = Array.from({ length: sourcesPerTurn }, (_, index) => `127.0.${turn + 1}.${index + 2}`);
          const cpuUs = await open({ target, signal }, sources);
          // The answer to an upgrade arrives in one read.
          return { cpuUs, units: clients, readsPerUnit: 1 };
        },
      });
      const engine = (of: 'js' | 'native') =>
        side(clientSides[of].name, (place, sources) => openClients(of, place, sources));
      const lack = await nativeLack();
      const sides = {
        js: engine('js'),
        native: lack === undefined ? engine('native') : { name: clientSides.native.name, lack },
        floor:
          typeof floor === 'string'
            ? side('bare epoll floor', (place, sources) => openBare(floor, place, sources))
            : floor,
      };
      const { beside, rows } = await measureSides(sides, isQuick ? 1 : 6, say);
      const each = { what: '  each round', measured: countText(clients), detail: '' };
      return [beside(ofJs, 'native', 'js'), ...rows, each];
    }),
  );
}

async function openClients(
  engine: 'js' | 'native',
  { target, signal }: Place,
  localAddresses: readonly string[],
): Promise<number> {
  const load = { ...clientSides[engine].load, localAddresses: [...localAddresses] };
  const job = JSON.stringify(audienceJob(target, clients, load));
  const main = packageFile('dist/scripts/bench/processes/opening-clients.js');
  const program = new Program(engine, [process.execPath, main, job, String(connectsPerSecond)], { signal });
  try {
    return Number(await program.line());
  } finally {
    await program.stop();
  }
}

async function openBare(floor: string, { target, signal }: Place, sources: readonly string[]): Promise<number> {
  const program = new Program('floor', [floor, ...floorArguments({ target }, clients, { sources })], { signal });
  try {
    for (;;) {
      const { opened, userUs = 0, systemUs = 0 } = await askCounts(program);
      if (opened === clients) return userUs + systemUs;
      await delay(pollEveryMs, undefined, { signal });
    }
  } finally {
    await program.stop();
  }
}
