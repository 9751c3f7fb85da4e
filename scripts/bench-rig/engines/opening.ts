import { setTimeout as delay } from 'node:timers/promises';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { count } from '../../../src/units/words.js';
import { type Bench, type Bound, print } from '../bench.js';
import { audienceJob } from '../processes/audience.js';
import type { AudienceCommands } from '../processes/audience-child.js';
import { Child } from '../processes/child.js';
import { withTarget } from '../processes/places.js';
import { connectsPerSecond, countsOf, floorArguments } from '../readers/counting.js';
import { type EngineName, loadOf } from '../readers/engines.js';
import { Program } from '../readers/program.js';
import { inTurn, type Round } from '../rounds.js';
import { commandOf, compared, costRows, lackIn, type Side, sideNames, withSides } from './readers.js';

const clients = 10_000;
const rounds = { full: 6, quick: 1 };
const pollEveryMs = 50;
const sourcesPerTurn = 8;
/** The answer to an upgrade comes in one read. */
const readsPerUnit = 1;

const ofJs: Bound = { what: 'CPU per connection opened, native / JS', atMost: 0.45, print: print.ratio };

/** CPU per WebSocket from the start of TCP to the answered upgrade: both engines and a bare opener, no sessions. */
export const engineOpening: Bench = {
  name: 'engine-opening',
  bounds: [ofJs],
  run: ({ isQuick, signal, say }) =>
    withSides((sides) =>
      withTarget(async (target) => {
        const found: Record<Side, Round[]> = { js: [], native: [], floor: [] };
        const names = (Object.keys(found) as Side[]).filter((side) => lackIn(sides, side) === undefined);
        let turn = 0;
        for (let round = 0; round < (isQuick ? rounds.quick : rounds.full); round++) {
          for (const side of inTurn(names, round)) {
            const sources = sourcesOf(++turn);
            const cpuUs =
              side === 'floor'
                ? await openBare(commandOf(sides.floor), target, sources, signal)
                : await openEngine(side, target, sources, signal);
            found[side].push({ cpuUs, units: clients, readsPerUnit });
            say(`  ${sideNames[side]}: ${(cpuUs / clients).toFixed(2)} us`);
          }
        }
        const comparison = compared(ofJs, lackIn(sides, 'native'), found.native, found.js);
        return [comparison, ...costRows(found), { what: '  each round', measured: count(clients), detail: '' }];
      }),
    ),
};

/** Each turn has its own addresses: ports in TIME_WAIT would make the search for a free one slower. */
function sourcesOf(turn: number): string[] {
  return Array.from({ length: sourcesPerTurn }, (_, index) => `127.0.${turn}.${index + 2}`);
}

async function openEngine(
  engine: EngineName,
  target: RunningTarget,
  localAddresses: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const job = audienceJob(target, 'wire', clients);
  const request = { ...job, load: { ...loadOf(engine), localAddresses } };
  const child = new Child<AudienceCommands>('bench-rig/processes/audience-child.js', signal);
  try {
    const { user, system } = await child.ask('openOnly', { request, ratePerSecond: connectsPerSecond });
    return user + system;
  } finally {
    await child.stop();
  }
}

async function openBare(
  command: readonly [string, ...string[]],
  target: RunningTarget,
  sources: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const words = floorArguments({ target }, clients, { sources });
  const program = new Program(sideNames.floor, [...command, ...words], signal);
  try {
    for (;;) {
      const { opened, userUs = 0, systemUs = 0 } = await countsOf(program);
      if (opened === clients) return userUs + systemUs;
      await delay(pollEveryMs, undefined, { signal });
    }
  } finally {
    await program.stop();
  }
}
