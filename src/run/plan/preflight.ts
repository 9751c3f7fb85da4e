import { isIP } from 'node:net';
import { overLimits } from '../../contract/job.js';
import { type Problem, problem } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { readClockId } from '../../measure/rig/machine.js';
import { markTableBytes } from '../../measure/samples/mark-table.js';
import { shareOf } from '../../measure/share.js';
import { clientPorts, footprintOf } from '../../targets/target.js';
import { firstHost, hostOf, sourceAddresses } from '../../units/addresses.js';
import { processesOf } from '../server/supervised.js';
import type { Plan } from './plan.js';

/** Descriptors that a process needs besides its clients: runtime, worker loops, publish connections, HTTP. */
export const descriptorsBeside = 200;

/** The native engine has descriptor tables of its own. Each has this limit, besides the limit of the process. */
function shardDescriptors(need: RunNeed, { urls: [url], clients, halfOpen, info }: RunPart): Problem[] {
  const { descriptors, descriptorsUsed } = info.limits;
  if (descriptors === null) return [];
  const publishes = need.maxInFlight * (need.jobs ?? 1);
  const sockets = clients + halfOpen;
  const perTable = isNativeOn(info, need) ? info.engine.clientsPerTable : undefined;
  const tables = Math.max(1, Math.ceil(clients / (perTable ?? Number.POSITIVE_INFINITY)));
  const inOne = Math.ceil(sockets / tables);
  const wanted = (perTable === undefined ? inOne + publishes : Math.max(publishes, inOne)) + descriptorsBeside;
  const free = descriptors - (descriptorsUsed ?? 0);
  if (wanted <= free) return [];
  const where = perTable === undefined ? '' : ' in one table';
  const what = `${clientsInWords({ clients, halfOpen })} need ${wanted} file descriptors${where}`;
  return [problem('descriptorLimit', `${url}: ${what}; ${free} of ${descriptors} are free`)];
}

function targetDescriptors(need: RunNeed): Problem[] {
  const { clients, halfOpen = 0, targetProcesses, targetDescriptors: limit } = need;
  const wanted = Math.ceil((clients + halfOpen) / targetProcesses) + descriptorsBeside;
  if (limit === null || wanted <= limit) return [];
  const who = `${clientsInWords({ clients, halfOpen })} over ${targetProcesses} process(es)`;
  const message = `the target: ${who} need ${wanted} file descriptors in each; the limit is ${limit}`;
  const hint = 'Raise the limit (`ulimit -n`, LimitNOFILE=), ask for fewer clients, or set --target-processes.';
  return [problem('descriptorLimit', message, hint)];
}

/** Table entries that the rest of the machine uses. Once the table is full, the kernel drops packets. */
const trackedBeside = 1000;

/** Lists the machines whose connection tracking has fewer entries than the clients of their shards need. */
function trackingProblems(need: RunNeed, { urls, clients, halfOpen, info }: RunPart): Problem[] {
  const { connectionTracking } = info.limits;
  if (connectionTracking === null) return [];
  const { tracked, most } = connectionTracking;
  const free = Math.max(0, most - tracked - trackedBeside);
  if (clients + halfOpen <= free) return [];
  const what = 'the kernel tracks connections in this network (nf_conntrack_max)';
  const asked = `${urls.join(', ')}: ${clientsInWords({ clients, halfOpen })}`;
  const message = `${asked}, but ${what}; ${free} of ${most} are left`;
  const raise = 'raise net.netfilter.nf_conntrack_max';
  return need.targetClockId === null
    ? [problem('trackingLimit', message, `On that machine, ${raise}, or exempt the target by \`notrack\`.`)]
    : [problem('trackingLimit', message)];
}

/** Kernel memory of one end of an idle TCP connection, measured on Linux 6.18. */
export const kernelBytes = 3700;

/** Memory of a bench-runner per idle client, measured on Node 20. Real client libraries need more. */
export const clientBytes = { native: 300, js: 4300 };

/** Lists the machines and shards with less memory than their connections need. */
function memoryProblems(need: RunNeed, parts: readonly RunPart[]): Problem[] {
  const all = together(parts);
  const limits = parts.map(({ info }) => info.limits);
  const flag = need.marksFlag === undefined ? '' : ` (${need.marksFlag})`;
  const tables = need.mostMarks === undefined ? '' : ` with a table of ${need.mostMarks} sends${flag}`;
  // A managed target and the shards beside it share the memory limit of this process.
  if (need.targetClockId === all.info.clockId) {
    const { connection, process } = need.targetBytes;
    const ofTarget = (all.clients + all.halfOpen) * (kernelBytes + connection) + need.targetProcesses * process;
    const available = least(limits.map(({ memoryAvailableBytes }) => memoryAvailableBytes));
    return lacking(all, ofRig(need, parts) + ofTarget, available, `${tables} with both ends`);
  }
  const ofShards = parts.flatMap((part) =>
    lacking(part, ofRig(need, [part]), part.info.limits.memoryAvailableBytes, tables),
  );
  if (ofShards.length > 0 || parts.length === 1) return ofShards;
  return lacking(all, ofRig(need, parts), least(limits.map((each) => each.machineMemoryAvailableBytes)), tables);
}

function ofRig(need: RunNeed, parts: readonly RunPart[]): number {
  const { mostMarks, jobs = 1 } = need;
  const ofTables = mostMarks === undefined ? 0 : markTableBytes(mostMarks) * jobs;
  const bytes = parts.map(({ clients, halfOpen, info }) => {
    const each = isNativeOn(info, need) ? clientBytes.native : clientBytes.js;
    return clients * each + (clients + halfOpen) * kernelBytes + ofTables;
  });
  return bytes.reduce((sum, each) => sum + each, 0);
}

function lacking({ urls, ...part }: RunPart, bytes: number, available: number | null, ends = ''): Problem[] {
  if (available === null || bytes <= available) return [];
  const message = `${urls.join(', ')}: ${clientsInWords(part)} need about ${inGb(bytes)} of memory${ends}`;
  return [problem('memoryLimit', `${message}; ${inGb(available)} are available`)];
}

function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function inGb(bytes: number): string {
  return `${(bytes / 1e9).toFixed(2)} GB`;
}

type Info = Pick<ShardInfo, 'clockId' | 'engine' | 'limits'>;
type Shards = readonly { url: string; info: Info }[];

export interface RunNeed {
  clients: number;
  /** Jobs of this size that each shard runs at once. */
  jobs?: number;
  halfOpen?: number;
  mostMarks?: number | undefined;
  /** The flag that sets their number; left out if it follows from the load. */
  marksFlag?: string;
  maxInFlight: number;
  prefersNative: boolean;
  /** Source addresses that each shard spreads its clients over; if empty, the kernel chooses. */
  sourceAddresses: readonly string[];
  /** Address and port that clients connect to, such as `10.0.0.9 443`; undefined if unknown. */
  endpoint?: string | undefined;
  targetProcesses: number;
  targetPorts: number;
  /** Clock of this machine if the target starts on its loopback; null if other machines can reach the target. */
  targetClockId: string | null;
  /** Descriptor limit of a target process on this machine; null if unknown. */
  targetDescriptors: number | null;
  targetBytes: { connection: number; process: number };
}

/** Describes the part of a run on one shard, or on all shards of one machine. */
interface RunPart {
  urls: readonly string[];
  clients: number;
  halfOpen: number;
  info: Info;
}

function together(parts: readonly RunPart[]): RunPart {
  const sumOf = (key: 'clients' | 'halfOpen'): number => parts.reduce((sum, part) => sum + part[key], 0);
  const urls = parts.flatMap((part) => part.urls);
  return { urls, clients: sumOf('clients'), halfOpen: sumOf('halfOpen'), info: parts[0]!.info };
}

const isNativeOn = ({ engine }: Info, { prefersNative }: RunNeed): boolean => prefersNative && engine.name === 'native';

function clientsInWords({ clients, halfOpen = 0 }: Pick<RunNeed, 'clients' | 'halfOpen'>): string {
  return `${clients} clients${halfOpen > 0 ? ` and about ${halfOpen} sockets that they leave half open` : ''}`;
}

/** Returns how often the port range can be used: once for each bound address, otherwise once for each destination. */
export function portRanges(need: Pick<RunNeed, 'sourceAddresses' | 'targetPorts'>): number {
  return need.sourceAddresses.length || need.targetPorts;
}

/** Lists the machines with fewer source ports than the clients of their shards need. */
function portProblems(need: RunNeed, { urls, clients, halfOpen, info }: RunPart): Problem[] {
  const { sourcePorts, portsTaken } = info.limits;
  if (sourcePorts === null) return [];
  const ranges = portRanges(need);
  const short = takenOf(need, portsTaken ?? { byAddress: {}, byEndpoint: {} }).find(
    ({ taken }, index, { length }) =>
      shareOf(clients + halfOpen, index, length) > (sourcePorts * ranges) / length - taken,
  );
  if (short === undefined) return [];
  const have = `there are ${sourcePorts * ranges} (${sourcePorts} × ${ranges})`;
  const taken = `${short.taken} ${short.where} are in use or in TIME_WAIT`;
  const who = `${urls.join(', ')}: ${clientsInWords({ clients, halfOpen })}`;
  return [problem('portLimit', `${who} need as many source ports; ${have}, and ${taken}`)];
}

function takenOf(
  { sourceAddresses, endpoint }: RunNeed,
  { byAddress, byEndpoint }: NonNullable<Info['limits']['portsTaken']>,
): { taken: number; where: string }[] {
  if (sourceAddresses.length === 0) {
    const isTowards = (key: string): boolean => endpoint !== undefined && key.endsWith(` ${endpoint}`);
    const towards = Object.entries(byEndpoint).flatMap(([key, taken]) => (isTowards(key) ? taken : []));
    return [{ taken: Math.max(0, ...towards), where: 'towards the target' }];
  }
  const taken = (address: string): number => byAddress[address] ?? 0;
  // A port of a wildcard address is taken on every address.
  const everywhere = taken('0.0.0.0') + taken('::');
  return sourceAddresses.map((address) => ({ taken: taken(address) + everywhere, where: `of ${address}` }));
}

/** Holds the machines of a run: its shards, and the descriptor limit of processes started here; null if unknown. */
export interface Carrier {
  shards: Shards;
  childDescriptors: number | null;
}

/** Lists the reasons why these machines can't run a plan, or why a shard would not accept it. */
export function carryProblems(plan: Plan, { shards, childDescriptors }: Carrier): Problem[] {
  const { target, load } = plan;
  const at = target.isOurs ? undefined : new URL(target.wsUrl);
  const demand = plan.scenario.demand(plan.options, load);
  const { clients, halfOpen = 0 } = demand;
  const need: RunNeed = {
    clients,
    ...(plan.slots && { jobs: plan.slots.slotsMs.length }),
    halfOpen,
    mostMarks: plan.scenario.mostMarks?.(plan.options, shards.length),
    ...('mostSends' in plan.options && { marksFlag: '--most-sends' }),
    maxInFlight: load.maxInFlight,
    prefersNative: load.client === 'wire' && load.engine !== 'js',
    sourceAddresses: [
      ...new Set(sourceAddresses(load.localAddresses, firstHost(at ?? 'ws://127.0.0.1', load.proxy), clients)),
    ],
    endpoint: at && endpointOf(at),
    targetProcesses: processesOf(plan),
    targetPorts: targetPortsOf(plan),
    targetClockId: target.isOurs ? readClockId() : null,
    targetDescriptors: target.isOurs ? childDescriptors : null,
    targetBytes: footprintOf(target.name),
  };
  const over = shards.flatMap(({ url, info }, index) =>
    overLimits(demand, shareOf(clients, index, shards.length) * (need.jobs ?? 1), info.limits, `${url}: `),
  );
  return [...preflight(need, shards), ...over];
}

export function targetPortsOf({ target, fleet }: Pick<Plan, 'target' | 'fleet'>): number {
  const processes = processesOf({ target, fleet });
  return target.isOurs ? clientPorts(target.target, processes) : processes;
}

/** Returns the address and port of a URL; undefined for a host name, which may resolve differently on a shard. */
export function endpointOf(url: URL): string | undefined {
  const host = hostOf(url);
  return isIP(host) === 0 ? undefined : `${host} ${url.port || (url.protocol === 'wss:' ? 443 : 80)}`;
}

/** Compares the needs of a run with each shard, its machine and the target. */
export function preflight(need: RunNeed, shards: Shards): Problem[] {
  const { jobs = 1, halfOpen = 0 } = need;
  const parts = shards.map(({ url, info }, index) => {
    const shareOfShard = (all: number): number => shareOf(all, index, shards.length) * jobs;
    return { urls: [url], clients: shareOfShard(need.clients), halfOpen: shareOfShard(halfOpen), info };
  });
  const clocks = new Set(parts.map(({ info }) => info.clockId));
  // Shards of one machine share its source ports, memory and connection tracking.
  const machines = [...clocks].map((clockId) => parts.filter(({ info }) => info.clockId === clockId));
  return [
    ...parts.flatMap((part) => [...outOfReach(need, part), ...shardDescriptors(need, part)]),
    ...machines.map(together).flatMap((all) => [...portProblems(need, all), ...trackingProblems(need, all)]),
    ...machines.flatMap((each) => memoryProblems(need, each)),
    ...targetDescriptors(need),
  ];
}

function outOfReach({ targetClockId }: RunNeed, { urls: [url], info }: RunPart): Problem[] {
  if (targetClockId === null || info.clockId === targetClockId) return [];
  const message = `${url}: expected a bench-runner on this machine, as the target starts on its loopback`;
  return [problem('targetOutOfReach', message)];
}
