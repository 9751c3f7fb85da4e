import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { packageFile } from '../../../src/units/package-files.js';
import { countText } from '../../../src/units/text.js';
import { type Bench, type Bound, printers } from '../bench.js';
import { audienceJob } from '../processes/audience.js';
import type { AudienceCommands } from '../processes/audience-child.js';
import { MeasuredProcess } from '../processes/child.js';
import { withTarget } from '../processes/places.js';
import { askCounts, connectsPerSecond, floorArguments } from '../readers/counting.js';
import { Program } from '../readers/program.js';
import { type EngineName, engineLack, loadOf } from '../readers/reader.js';
import { type Round, roundOrder, roundRatio } from '../rounds.js';
import { costBeside, costRows, type EngineSide, floorCommand, missingSides, sideNames, withSides } from './readers.js';

/** Runs in a network namespace of its own, because so many connections would fill the machine's connection tracking. */
const inOwnNetwork = [
  'unshare',
  '--map-root-user',
  '--net',
  'sh',
  '-c',
  'ip link set lo up && exec "$@"',
  'sh',
] as const;

const flat: Bound = {
  what: 'CPU per delivery, native engine, 100,000 connections / 1,000',
  atMost: 1.1,
  print: printers.ratio,
};

const costs = z.array(z.object({ cpuUs: z.number(), units: z.number(), readsPerUnit: z.number().optional() }));

/** Describes the output of `processes/wide-main.js`. */
export const wideFound = z.object({ few: costs, many: costs });

/** Compares the CPU per delivery of the native engine with 100,000 connections in one bench-runner and with 1,000. */
export const engineWide: Bench = {
  name: 'engine-wide',
  isOnRequest: true,
  bounds: [flat],
  async run({ isQuick, signal }) {
    const lack = (await engineLack('native')) ?? lackOfNetwork();
    if (lack !== undefined) return [{ bound: flat, lack }];
    const main = packageFile('dist/scripts/bench-rig/processes/wide-main.js');
    const program = new Program('wide', [...inOwnNetwork, process.execPath, main, isQuick ? 'quick' : 'full'], signal);
    try {
      const { few, many } = wideFound.parse(JSON.parse(await program.line()));
      const { value, comparable, of } = roundRatio(many, few);
      const each = [many, few].map((rounds) => rounds.map(inWords).join(', ')).join(' beside ');
      return [{ bound: flat, value, detail: `${comparable} of ${of} rounds comparable; ${each}` }];
    } finally {
      await program.stop('SIGTERM');
    }
  },
};

function inWords({ cpuUs, units, readsPerUnit }: z.output<typeof costs>[number]): string {
  return `${(cpuUs / units).toFixed(2)} us (${countText(units)}, ${readsPerUnit?.toFixed(2)} reads each)`;
}

function lackOfNetwork(): string | undefined {
  const [command, ...args] = inOwnNetwork;
  const isThere = spawnSync(command, [...args, 'true']).status === 0;
  return isThere ? undefined : 'needs a network namespace of its own: run it as root, with util-linux and iproute2';
}

const clients = 10_000;
const rounds = { full: 6, quick: 1 };
const pollEveryMs = 50;
const sourcesPerTurn = 8;
/** The answer to an upgrade arrives in one read. */
const readsPerUnit = 1;

const ofJs: Bound = { what: 'CPU per connection opened, native / JS', atMost: 0.45, print: printers.ratio };

/**
 * Compares the CPU per WebSocket, from the start of TCP to the answered upgrade, of both engines and a bare opener.
 * There are no sessions.
 */
export const engineOpening: Bench = {
  name: 'engine-opening',
  bounds: [ofJs],
  run: ({ isQuick, signal, say }) =>
    withSides((sides) =>
      withTarget(async (target) => {
        const found: Record<EngineSide, Round[]> = { js: [], native: [], floor: [] };
        const names = (Object.keys(found) as EngineSide[]).filter((side) => missingSides(sides, side) === undefined);
        let turn = 0;
        for (let round = 0; round < (isQuick ? rounds.quick : rounds.full); round++) {
          for (const side of roundOrder(names, round)) {
            const sources = sourcesOf(++turn);
            const cpuUs =
              side === 'floor'
                ? await openBare(floorCommand(sides.floor), target, sources, signal)
                : await openEngine(side, target, sources, signal);
            found[side].push({ cpuUs, units: clients, readsPerUnit });
            say(`  ${sideNames[side]}: ${(cpuUs / clients).toFixed(2)} us`);
          }
        }
        const comparison = costBeside(ofJs, missingSides(sides, 'native'), found.native, found.js);
        return [comparison, ...costRows(found), { what: '  each round', measured: countText(clients), detail: '' }];
      }),
    ),
};

/**
 * Returns the addresses of a turn. Ports in TIME_WAIT would slow the search for a free one, so each turn has its own.
 */
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
  const child = new MeasuredProcess<AudienceCommands>('bench-rig/processes/audience-child.js', signal);
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
      const { opened, userUs = 0, systemUs = 0 } = await askCounts(program);
      if (opened === clients) return userUs + systemUs;
      await delay(pollEveryMs, undefined, { signal });
    }
  } finally {
    await program.stop();
  }
}
