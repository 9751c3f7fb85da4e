import { setTimeout as delay } from 'node:timers/promises';
import { countText } from '../../../src/units/text.js';
import type { BenchContext, Bound, Finding } from '../judge.js';
import type { MeasuredCommands } from '../processes/measured-child.js';
import { withTarget } from '../processes/places.js';
import { MeasuredProcess, Program } from '../processes/program.js';
import { askCounts, connectsPerSecond, floorArguments } from '../readers/counting.js';
import type { Place } from '../readers/reader.js';
import { audienceJob } from '../readers/shard.js';
import { costBeside, costRows, engineSides, loadOfSide, type Side, sideNames, withSides } from '../readers/sides.js';
import { inRounds } from '../rounds.js';

const clients = 10_000;
const pollEveryMs = 50;
const sourcesPerTurn = 8;
/** The answer to an upgrade arrives in one read. */
const readsPerUnit = 1;

/** Compares the CPU per WebSocket, from the start of TCP to the answered upgrade, of both engines and a bare opener. */
export function engineOpening({ ofJs }: Record<'ofJs', Bound>, context: BenchContext): Promise<Finding[]> {
  const { isQuick, signal, say } = context;
  return withSides(engineSides, (sides) =>
    withTarget(async (target) => {
      const here = engineSides.filter((side) => sides.lackOf(side) === undefined);
      const found = await inRounds(here, isQuick ? 1 : 6, async (side, turn) => {
        // Ports in TIME_WAIT would slow the search for a free one, so each turn has its own addresses.
        const sources = Array.from({ length: sourcesPerTurn }, (_, index) => `127.0.${turn + 1}.${index + 2}`);
        const cpuUs =
          side === 'floor'
            ? await openBare(String(sides.floor), { target, signal }, sources)
            : await openClients(side, { target, signal }, sources);
        say(`  ${sideNames[side]}: ${(cpuUs / clients).toFixed(2)} us`);
        return { cpuUs, units: clients, readsPerUnit };
      });
      const cost = costBeside(ofJs, sides.lackOf('native'), found.native ?? [], found.js ?? []);
      return [cost, ...costRows(found), { what: '  each round', measured: countText(clients), detail: '' }];
    }),
  );
}

async function openClients(
  side: Exclude<Side, 'floor'>,
  { target, signal }: Place,
  localAddresses: readonly string[],
): Promise<number> {
  const request = audienceJob(target, clients, { ...loadOfSide[side], localAddresses: [...localAddresses] });
  const child = new MeasuredProcess<MeasuredCommands>(signal);
  try {
    const { user, system } = await child.ask('openOnly', { request, ratePerSecond: connectsPerSecond });
    return user + system;
  } finally {
    await child.stop();
  }
}

async function openBare(floor: string, { target, signal }: Place, sources: readonly string[]): Promise<number> {
  const program = new Program(sideNames.floor, [floor, ...floorArguments({ target }, clients, { sources })], {
    signal,
  });
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
