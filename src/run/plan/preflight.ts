import { isIP } from 'node:net';
import { overLimits } from '../../contract/limits.js';
import { type Problem, problem } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { readClockId } from '../../measure/rig/machine.js';
import { share } from '../../measure/share.js';
import { clientPorts } from '../../targets/target.js';
import { sourceAddresses } from '../../units/addresses.js';
import { processesOf } from '../target/processes.js';
import type { Plan } from './plan.js';

/** Descriptors that a process needs beside its clients: runtime, worker loops, publish connections, HTTP. */
export const descriptorsBeside = 200;

type Info = Pick<ShardInfo, 'clockId' | 'limits'>;
type Shards = readonly { url: string; info: Info }[];

/** The machines of a run: its shards, and the descriptor limit of processes started here; null when unknown. */
export interface Carrier {
  shards: Shards;
  childDescriptors: number | null;
}

/** What a run needs of the machines. */
export interface Need {
  clients: number;
  /** Jobs that each shard runs at once, all of this size. */
  jobs?: number;
  /** Sockets that stay half open beside those of the current clients. */
  halfOpen?: number;
  maxInFlight: number;
  /** Source addresses that each shard spreads its clients over; if empty, the kernel chooses. */
  sourceAddresses: readonly string[];
  /** Where clients connect to, as `10.0.0.9 443`; undefined if unknown, or if nothing has connected yet. */
  endpoint?: string | undefined;
  /** Processes of the target. */
  targetProcesses: number;
  /** Ports of the target that take clients. */
  targetPorts: number;
  /** Clock of this machine if the target starts on its loopback; null if it is reachable from elsewhere. */
  targetClockId: string | null;
  /** Descriptor limit of a target process on this machine; null when unknown. */
  targetDescriptors: number | null;
}

/** Why these machines can't carry a plan: what its job needs exceeds what they have, or what a shard accepts. */
export function carryProblems(plan: Plan, { shards, childDescriptors }: Carrier): Problem[] {
  const { target, load } = plan;
  const at = target.isOurs ? undefined : new URL(target.wsUrl);
  const demand = plan.scenario.demand(plan.options, load);
  const { clients, halfOpen = 0 } = demand;
  const need: Need = {
    clients,
    ...(plan.slots && { jobs: plan.slots.targets }),
    halfOpen,
    maxInFlight: load.maxInFlight,
    sourceAddresses: [...new Set(sourceAddresses(load.localAddresses, at?.hostname ?? '127.0.0.1', clients))],
    endpoint: at && endpointOf(at),
    targetProcesses: processesOf(plan),
    targetPorts: targetPortsOf(plan),
    targetClockId: target.isOurs ? readClockId() : null,
    targetDescriptors: target.isOurs ? childDescriptors : null,
  };
  const over = shards.flatMap(({ url, info }, index) =>
    overLimits(demand, share(clients, index, shards.length) * (need.jobs ?? 1), info.limits, `${url}: `),
  );
  return [...preflight(need, shards), ...over];
}

/** How many ports of the target take the clients of a plan. */
export function targetPortsOf({ target, fleet }: Pick<Plan, 'target' | 'fleet'>): number {
  const processes = processesOf({ target, fleet });
  return target.isOurs ? clientPorts(target.target, processes) : processes;
}

/** The address and port of a URL; undefined for a host name, which may resolve to something else on a shard. */
function endpointOf({ hostname, protocol, port }: URL): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : `${host} ${port || (protocol === 'wss:' ? 443 : 80)}`;
}

/** Compares what a run needs with what each shard and the target have. Pure; gives every problem at once. */
export function preflight(need: Need, shards: Shards): Problem[] {
  const { halfOpen = 0, jobs = 1, targetProcesses, targetDescriptors } = need;
  const problems = shards.flatMap(({ url, info }, index) => {
    const clients = share(need.clients, index, shards.length) * jobs;
    const left = share(halfOpen, index, shards.length) * jobs;
    const ofShard: Problem[] = [];
    if (need.targetClockId !== null && info.clockId !== need.targetClockId) {
      const message = `${url}: expected a bench-runner on this machine, as the target starts on its loopback`;
      ofShard.push(problem('targetOutOfReach', message));
    }
    const { descriptors, descriptorsUsed } = info.limits;
    const wanted = clients + left + need.maxInFlight * jobs + descriptorsBeside;
    const free = descriptors === null ? null : descriptors - (descriptorsUsed ?? 0);
    if (free !== null && wanted > free) {
      const what = `${inWords(clients, left)} need ${wanted} file descriptors`;
      const message = `${url}: ${what}; ${free} of ${descriptors} are free`;
      ofShard.push(problem('descriptorLimit', message));
    }
    return ofShard;
  });
  problems.push(...portProblems(need, shards));
  const wanted = Math.ceil((need.clients + halfOpen) / targetProcesses) + descriptorsBeside;
  if (targetDescriptors !== null && wanted > targetDescriptors) {
    const who = `${inWords(need.clients, halfOpen)} over ${targetProcesses} process(es)`;
    const message = `the target: ${who} need ${wanted} file descriptors in each; the limit is ${targetDescriptors}`;
    const hint = 'Raise the limit (`ulimit -n`, LimitNOFILE=), ask for fewer clients, or set --target-processes.';
    problems.push(problem('descriptorLimit', message, hint));
  }
  return problems;
}

function inWords(clients: number, halfOpen: number): string {
  return `${clients} clients${halfOpen > 0 ? ` and about ${halfOpen} sockets that they leave half open` : ''}`;
}

/** How often the port range can be used: once for each bound address, otherwise once towards each destination. */
export function portRanges(need: Pick<Need, 'sourceAddresses' | 'targetPorts'>): number {
  return need.sourceAddresses.length || need.targetPorts;
}

/** Shards of one machine share its source ports. */
function portProblems(need: Need, shards: Shards): Problem[] {
  const asked = new Map<string, { urls: string[]; clients: number; halfOpen: number; info: Info }>();
  shards.forEach(({ url, info }, index) => {
    const machine = asked.get(info.clockId) ?? { urls: [], clients: 0, halfOpen: 0, info };
    machine.urls.push(url);
    machine.clients += share(need.clients, index, shards.length) * (need.jobs ?? 1);
    machine.halfOpen += share(need.halfOpen ?? 0, index, shards.length) * (need.jobs ?? 1);
    asked.set(info.clockId, machine);
  });
  return [...asked.values()].flatMap(({ urls, clients, halfOpen, info }) => {
    const { sourcePorts, portsTaken } = info.limits;
    if (sourcePorts === null) return [];
    const ranges = portRanges(need);
    const short = takenOf(need, portsTaken ?? { byAddress: {}, byEndpoint: {} }).find(
      ({ taken }, index, { length }) =>
        share(clients + halfOpen, index, length) > (sourcePorts * ranges) / length - taken,
    );
    if (short === undefined) return [];
    const have = `there are ${sourcePorts * ranges} (${sourcePorts} × ${ranges})`;
    const taken = `${short.taken} ${short.where} are in use or in TIME_WAIT`;
    const who = `${urls.join(', ')}: ${inWords(clients, halfOpen)}`;
    const message = `${who} need as many source ports; ${have}, and ${taken}`;
    return problem('portLimit', message);
  });
}

/** The taken ports of each source address, or of the range that the kernel chooses from. */
function takenOf(
  { sourceAddresses, endpoint }: Need,
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
