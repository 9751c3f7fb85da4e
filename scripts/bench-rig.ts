import { z } from 'zod';
import type { ExitName } from '../src/contract/exit-codes.js';
import { type Bench, judgeBenches, type Outcome, outcomeOf } from './bench-rig/bench.js';
import { delivery } from './bench-rig/benches/delivery.js';
import { help } from './bench-rig/benches/driver.js';
import { driverIdle } from './bench-rig/benches/driver-idle.js';
import { fleet } from './bench-rig/benches/fleet.js';
import { memory, shardMemory } from './bench-rig/benches/memory.js';
import { merge } from './bench-rig/benches/merge.js';
import { opening } from './bench-rig/benches/opening.js';
import { report } from './bench-rig/benches/report.js';
import { scale } from './bench-rig/benches/scale.js';
import { soak } from './bench-rig/benches/soak.js';
import { tls } from './bench-rig/benches/tls.js';
import { verdictBench } from './bench-rig/benches/verdict.js';
import { engineDelivery } from './bench-rig/engines/delivery.js';
import { engineMemory, engineSoak } from './bench-rig/engines/memory.js';
import { engineOpening, engineWide } from './bench-rig/engines/opening.js';
import { engineStamps } from './bench-rig/engines/stamps.js';
import { runScript } from './script/run-script.js';

const benches: readonly Bench[] = [
  ...[delivery, opening, memory, shardMemory, merge],
  ...[driverIdle, help, report, fleet, scale, soak, tls, verdictBench],
  ...[engineDelivery, engineOpening, engineMemory, engineStamps, engineWide, engineSoak],
];
const names = benches.map(({ name }) => name);

const options = z.strictObject({
  isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'smaller loads, for a first look' }),
  only: z
    .array(z.string().refine((name) => names.includes(name), `expected one of ${names.join(', ')}`))
    .default([])
    .meta({
      flag: 'only',
      placeholder: names.join('|'),
      help: 'run this bench only; repeatable',
    }),
});

/** Measures the rig itself and prints one table. Exits with 1 if a bound is broken. */
async function benchRig({ isQuick, only }: z.output<typeof options>, signal: AbortSignal): Promise<ExitName> {
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  if (isQuick) say('quick: smaller loads; the bounds are meant for the full run');
  const outcomes: Outcome[] = [];
  const isAsked = ({ name, isOnRequest }: Bench) => (only.length === 0 ? !isOnRequest : only.includes(name));
  for (const bench of benches.filter(isAsked)) {
    if (!signal.aborted) outcomes.push(await outcomeOf(bench, { isQuick, signal, say }));
  }
  const { text, isKept } = judgeBenches(outcomes);
  process.stdout.write(`${text}\n`);
  return isKept ? 'clean' : 'bug';
}

await runScript('bench-rig', options, benchRig);
