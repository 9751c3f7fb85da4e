import { overLimits } from '../../contract/job.js';
import type { Problem, ProblemCode } from '../../contract/problems.js';
import { shareOf } from '../../measure/share.js';
import { busyAbove } from '../../measure/verdict/loop-rules.js';
import { preflight, type RunNeed } from '../../run/plan/preflight.js';
import { defaultWorkers, loadOptions } from '../../scenarios/load-options.js';
import { sourceAddresses } from '../../units/addresses.js';
import { plural } from '../../units/text.js';
import type { DrillResult, limitNames, MeasuredLoop, ShardDrill } from './findings.js';
import { about } from './print.js';

/** A load of this many clients without a problem counts as unlimited. */
const beyondClients = 2 ** 24;
/** Deliveries come in bursts, so half of a loop's capacity is kept free for them. */
const loadedShare = busyAbove / 2;
const manyClients = 1_000_000;

/** Says where the clients of the next run connect, if it is known. */
export interface Towards {
  host: string | undefined;
  endpoint?: string | undefined;
  prefersNative: boolean;
}

type Carrying = Pick<ShardDrill, 'url' | 'clockId' | 'engine' | 'limits'>;

const clientLimits: Partial<Record<ProblemCode, (typeof limitNames)[number]>> = {
  descriptorLimit: 'file descriptors',
  portLimit: 'source ports',
  trackingLimit: 'connection tracking',
  memoryLimit: 'memory',
};

/** Returns the most clients for which preflight finds no problem, and the problem that it finds with one more. */
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
  const where = shards.find(({ url }) => [`${url}: `, `${url}, `].some((start) => message.startsWith(start)));
  const by = clientLimits[code] ?? 'the limits of a bench-runner';
  return { clients: carried, clientsLimit: { by, url: where?.url ?? '', text: message, fix: hint } };
}

function problemsOf(shards: readonly Carrying[], towards: Towards, clients: number): Problem[] {
  const { host, endpoint, prefersNative } = towards;
  const need: RunNeed = {
    clients,
    maxInFlight: loadOptions.parse({}).maxInFlight,
    endpoint,
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
    overLimits({ ...least, clients }, shareOf(clients, index, carriers.length), info.limits, `${url}: `),
  );
  return [...over, ...preflight(need, carriers)];
}

/** Holds the cost of a small load on the shard's own loopback, without what follows from it. */
export type Cost = Omit<MeasuredLoop, 'loops' | 'perSecondOfLoop' | 'freeCores' | 'perSecond'>;

/** Counts the shards of a drill that share one machine, and one CPU quota, itself included. */
export interface Sharing {
  machine: number;
  quota: number;
}

/** Returns the deliveries per second of one loop, and of a shard with its share of the machine's free cores. */
export function loopCapacity(
  { cpuUs, coresBeside, coreShare, othersCores, quotaCores }: Cost,
  cores: number,
  sharing: Sharing,
): Omit<MeasuredLoop, keyof Cost> {
  const loops = defaultWorkers(manyClients, cores);
  // A loop that waits for a core works only for the rest of the time.
  const usable = loadedShare * coreShare;
  const perSecondOfLoop = (usable * 1e6) / cpuUs.busiest;
  const ofMachine = Math.max(0, cores - othersCores) / sharing.machine;
  const freeCores = Math.min(ofMachine, (quotaCores ?? Number.POSITIVE_INFINITY) / sharing.quota);
  const perSecondOfCores = (Math.max(0, freeCores * usable - coresBeside) * 1e6) / cpuUs.all;
  return { loops, perSecondOfLoop, freeCores, perSecond: Math.min(loops * perSecondOfLoop, perSecondOfCores) };
}

/** Returns the deliveries per second of all shards, which have equal shares: the slowest one limits all. */
export function mostDeliveries(
  shards: readonly Pick<ShardDrill, 'url' | 'loop' | 'machine'>[],
): Pick<DrillResult['carries'], 'deliveriesPerSecond' | 'deliveriesLimit'> {
  const measured = shards.flatMap(({ url, loop, machine }) => (loop.isMeasured ? [{ url, loop, machine }] : []));
  const [slowest] = measured.sort((a, b) => a.loop.perSecond - b.loop.perSecond);
  if (!slowest || measured.length < shards.length) return { deliveriesPerSecond: null, deliveriesLimit: null };
  const { url, loop, machine } = slowest;
  const isOfLoops = loop.perSecond >= loop.loops * loop.perSecondOfLoop;
  const of = loop.quotaCores === null ? plural(machine.cores, 'core') : `a quota of ${plural(loop.quotaCores, 'core')}`;
  const reckoning = isOfLoops
    ? `${plural(loop.loops, 'event loop')} at ${loop.cpuUs.busiest.toFixed(1)} µs a delivery`
    : `${loop.freeCores.toFixed(2)} free of ${of} at ${loop.cpuUs.all.toFixed(1)} µs a delivery`;
  const times = shards.length > 1 ? ` × ${shards.length} shards` : '';
  return {
    deliveriesPerSecond: Math.floor(shards.length * loop.perSecond),
    deliveriesLimit: {
      by: isOfLoops ? 'event loops' : 'cores',
      url,
      text: `${url}: ${reckoning}, half kept free: ${about(loop.perSecond)}/s${times}`,
      fix: isOfLoops
        ? 'Give --engine native where it runs, more --workers, or more machines (--shard).'
        : 'Give it more cores, or spread the load over more machines (--shard).',
    },
  };
}
