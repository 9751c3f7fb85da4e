import { overLimits } from '../../contract/limits.js';
import type { Problem } from '../../contract/problems.js';
import { share } from '../../measure/share.js';
import { busyAbove } from '../../measure/verdict/loop-rules.js';
import { defaultWorkers } from '../../run/catalog.js';
import type { Need } from '../../run/plan/preflight/need.js';
import { preflight } from '../../run/plan/preflight.js';
import { sourceAddresses } from '../../units/addresses.js';
import { plural } from '../../units/words.js';
import { clientLimits } from './finding-table.js';
import type { DrillResult, ShardDrill } from './schema.js';

/** A load that nothing here limits is larger than this. */
const beyondClients = 2 ** 24;
/** Deliveries come in bursts, so half of what a loop can do is kept free for them. */
const loadedShare = busyAbove / 2;
const manyClients = 1_000_000;

/** Where the clients of the next run connect to: the host of its target, if it is known. */
export interface Towards {
  host: string | undefined;
  prefersNative: boolean;
}

type Carrying = Pick<ShardDrill, 'url' | 'clockId' | 'engine' | 'limits'>;

/** The most clients for which preflight finds nothing wrong, by what it says of one more. */
export function mostClients(
  shards: readonly Carrying[],
  towards: Towards,
): Pick<DrillResult['carries'], 'clients' | 'clientsLimit'> {
  let [carried, refused] = [0, beyondClients];
  if (problemsOf(shards, towards, refused).length === 0) return { clients: null, clientsLimit: null };
  while (refused - carried > 1) {
    const middle = Math.floor((carried + refused) / 2);
    if (problemsOf(shards, towards, middle).length === 0) carried = middle;
    else refused = middle;
  }
  const [first] = problemsOf(shards, towards, refused);
  const { code, message, hint } = first as Problem;
  const where = shards.find(({ url }) => message.startsWith(url));
  const by = clientLimits[code] ?? 'the limits of a bench-runner';
  return { clients: carried, clientsLimit: { by, url: where?.url ?? '', text: message, fix: hint } };
}

function problemsOf(shards: readonly Carrying[], towards: Towards, clients: number): Problem[] {
  const { host, prefersNative } = towards;
  const need: Need = {
    clients,
    maxInFlight: 1,
    prefersNative,
    sourceAddresses: host === undefined ? [] : [...new Set(sourceAddresses([], host, clients))],
    targetProcesses: 1,
    targetPorts: 1,
    targetClockId: null,
    targetDescriptors: null,
    targetBytes: { connection: 0, process: 0 },
  };
  const least = { publishesPerSecond: 0, payloadBytes: 0, durationMs: 0, broadcasts: 0 };
  const carriers = shards.map(({ url, clockId, engine, limits }) => ({ url, info: { clockId, engine, limits } }));
  const over = carriers.flatMap(({ url, info }, index) =>
    overLimits({ ...least, clients }, share(clients, index, carriers.length), info.limits, `${url}: `),
  );
  return [...over, ...preflight(need, carriers)];
}

/** What one event loop, and what a shard with all its loops, can take a second. `beside`: shards of its machine. */
export function loopCapacity(
  cpuUs: { busiest: number; all: number },
  { cores, quotaCores, stolenShare, coreWaitShare }: Omit<ShardDrill['cpu'], 'throttledShare'>,
  beside: number,
): { perSecondOfLoop: number; loops: number; perSecond: number } {
  const loops = defaultWorkers(manyClients, cores);
  // A loop that waits for a core has only the rest of the time.
  const loadedUs = loadedShare * 1e6 * (1 - Math.min(1, coreWaitShare ?? 0));
  const perSecondOfLoop = loadedUs / cpuUs.busiest;
  const ownCores = Math.min(quotaCores ?? Number.POSITIVE_INFINITY, (cores * (1 - (stolenShare ?? 0))) / beside);
  const perSecondOfCores = (ownCores * loadedUs) / cpuUs.all;
  return { perSecondOfLoop, loops, perSecond: Math.min(loops * perSecondOfLoop, perSecondOfCores) };
}

/** Shards have equal shares of the clients, so the slowest one limits all. */
export function mostDeliveries(
  shards: readonly Pick<ShardDrill, 'url' | 'loop' | 'cpu'>[],
): Pick<DrillResult['carries'], 'deliveriesPerSecond' | 'deliveriesLimit'> {
  const [slowest] = shards
    .flatMap(({ url, loop, cpu }) => (loop.isMeasured ? [{ url, loop, cpu }] : []))
    .sort((a, b) => a.loop.perSecond - b.loop.perSecond);
  if (!slowest || shards.some(({ loop }) => !loop.isMeasured))
    return { deliveriesPerSecond: null, deliveriesLimit: null };
  const { url, loop, cpu } = slowest;
  const isOfLoops = loop.perSecond >= loop.loops * loop.perSecondOfLoop;
  const cores = cpu.quotaCores === null ? plural(cpu.cores, 'core') : `quota of ${cpu.quotaCores} cores`;
  return {
    deliveriesPerSecond: Math.floor(shards.length * loop.perSecond),
    deliveriesLimit: {
      by: isOfLoops ? 'event loops' : 'cores',
      url,
      text: isOfLoops ? `${url}: its ${plural(loop.loops, 'event loop')}` : `${url}: its ${cores}`,
      fix: isOfLoops
        ? 'Give --engine native where it runs, more --workers, or more machines (--shard).'
        : 'Give it more cores, or spread the load over more machines (--shard).',
    },
  };
}
