import { spawnSync } from 'node:child_process';
import { z } from 'zod';
import { packageFile } from '../../../src/units/package-files.js';
import { count } from '../../../src/units/words.js';
import { type Bench, type Bound, print } from '../bench.js';
import { lackOf } from '../readers/engines.js';
import { Program } from '../readers/program.js';
import { ratioOf } from '../rounds.js';

/** A network of its own: so many connections would fill the machine's connection tracking. */
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
  print: print.ratio,
};

const costs = z.array(z.object({ cpuUs: z.number(), units: z.number(), readsPerUnit: z.number().optional() }));

/** What `processes/wide-main.js` prints. */
export const wideFound = z.object({ few: costs, many: costs });

/** CPU per delivery of the native engine with 100,000 connections in one bench-runner, beside 1,000. */
export const engineWide: Bench = {
  name: 'engine-wide',
  isOnRequest: true,
  bounds: [flat],
  async run({ isQuick, signal }) {
    const lack = (await lackOf('native')) ?? lackOfNetwork();
    if (lack !== undefined) return [{ bound: flat, lack }];
    const main = packageFile('dist/scripts/bench-rig/processes/wide-main.js');
    const program = new Program('wide', [...inOwnNetwork, process.execPath, main, isQuick ? 'quick' : 'full'], signal);
    try {
      const { few, many } = wideFound.parse(JSON.parse(await program.line()));
      const { value, comparable, of } = ratioOf(many, few);
      const each = [many, few].map((rounds) => rounds.map(inWords).join(', ')).join(' beside ');
      return [{ bound: flat, value, detail: `${comparable} of ${of} rounds comparable; ${each}` }];
    } finally {
      await program.stop('SIGTERM');
    }
  },
};

function inWords({ cpuUs, units, readsPerUnit }: z.output<typeof costs>[number]): string {
  return `${(cpuUs / units).toFixed(2)} us (${count(units)}, ${readsPerUnit?.toFixed(2)} reads each)`;
}

function lackOfNetwork(): string | undefined {
  const [command, ...args] = inOwnNetwork;
  const isThere = spawnSync(command, [...args, 'true']).status === 0;
  return isThere ? undefined : 'needs a network namespace of its own: run it as root, with util-linux and iproute2';
}
