import { type Problem, problem } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { share } from '../../measure/share.js';

/** Descriptors that a process needs beside its clients: runtime, worker loops, publish connections, HTTP. */
export const descriptorsBeside = 200;

/** What a run asks of the machines that it will use. */
export interface Need {
  clients: number;
  /** Sockets that stay half open beside those of the clients that are there. */
  halfOpen?: number;
  maxInFlight: number;
  /** Source addresses that each shard spreads its clients over; without any the kernel chooses. */
  sourceAddresses: readonly string[];
  /** Where the clients connect to, as `10.0.0.9 443`; none where that is not known, or nobody can have connected to it before. */
  endpoint?: string | undefined;
  /** Processes of the target, each with a port of its own. */
  targetProcesses: number;
  /** Clock of this machine when the target is to be started on its loopback; null when it is reachable from elsewhere. */
  targetClockId: string | null;
  /** Descriptor limit of the target's process, when it is a process of this machine; null when unknown. */
  targetDescriptors: number | null;
}

/** Holds what a run needs against what each shard and the target can have. Pure; gives every problem at once. */
export function preflight(need: Need, shards: readonly { url: string; info: ShardInfo }[]): Problem[] {
  const problems: Problem[] = [];
  const { halfOpen = 0 } = need;
  shards.forEach(({ url, info }, index) => {
    const clients = share(need.clients, index, shards.length);
    const left = share(halfOpen, index, shards.length);
    if (need.targetClockId !== null && info.clockId !== need.targetClockId) {
      problems.push(
        problem(
          'targetOutOfReach',
          `${url} runs on another machine than this driver, which would start the target on its own loopback`,
        ),
      );
    }
    const { descriptors, descriptorsUsed } = info.limits;
    const wanted = clients + left + need.maxInFlight + descriptorsBeside;
    const free = descriptors === null ? null : descriptors - (descriptorsUsed ?? 0);
    if (free !== null && wanted > free) {
      problems.push(
        problem(
          'descriptorLimit',
          `${url}: ${inWords(clients, left)} need ${wanted} file descriptors, free are ${free} of ${descriptors}`,
        ),
      );
    }
  });
  problems.push(...portProblems(need, shards));
  const wanted = Math.ceil((need.clients + halfOpen) / need.targetProcesses) + descriptorsBeside;
  if (need.targetDescriptors !== null && wanted > need.targetDescriptors) {
    problems.push(
      problem(
        'descriptorLimit',
        `the target: ${inWords(need.clients, halfOpen)} over ${need.targetProcesses} process(es) need ${wanted} file descriptors in each, the limit is ${need.targetDescriptors}`,
        'Raise the limit (`ulimit -n`, LimitNOFILE=), ask for fewer clients, or give --target-processes where the target can be several.',
      ),
    );
  }
  return problems;
}

function inWords(clients: number, halfOpen: number): string {
  return `${clients} clients${halfOpen > 0 ? ` and about ${halfOpen} sockets that they leave half open` : ''}`;
}

/** How many times the machine's ports are there: a port bound to an explicit address is taken towards every destination, one that the kernel chooses only towards its own. */
export function portRanges({
  sourceAddresses,
  targetProcesses,
}: Pick<Need, 'sourceAddresses' | 'targetProcesses'>): number {
  return sourceAddresses.length || targetProcesses;
}

/** Shards of one machine share its source ports: what they ask together is held against what is neither in use nor in TIME_WAIT. */
function portProblems(need: Need, shards: readonly { url: string; info: ShardInfo }[]): Problem[] {
  const asked = new Map<string, { urls: string[]; clients: number; halfOpen: number; info: ShardInfo }>();
  shards.forEach(({ url, info }, index) => {
    const machine = asked.get(info.clockId) ?? { urls: [], clients: 0, halfOpen: 0, info };
    machine.urls.push(url);
    machine.clients += share(need.clients, index, shards.length);
    machine.halfOpen += share(need.halfOpen ?? 0, index, shards.length);
    asked.set(info.clockId, machine);
  });
  return [...asked.values()].flatMap(({ urls, clients, halfOpen, info }) => {
    const { sourcePorts, portsTaken } = info.limits;
    if (sourcePorts === null) return [];
    const ranges = portRanges(need);
    const short = takenOf(need, portsTaken ?? nothingTaken).find(
      ({ taken }, index, { length }) =>
        share(clients + halfOpen, index, length) > (sourcePorts * ranges) / length - taken,
    );
    if (short === undefined) return [];
    return problem(
      'portLimit',
      `${urls.join(', ')}: ${inWords(clients, halfOpen)} need as many source ports; there are ${sourcePorts * ranges} (${sourcePorts} × ${ranges}), and ${short.taken} ${short.where} are in use or in TIME_WAIT`,
    );
  });
}

type TakenPorts = NonNullable<ShardInfo['limits']['portsTaken']>;
const nothingTaken: TakenPorts = { byAddress: {}, byEndpoint: {} };

/** What is taken of each part of the ports that clients are spread over: each source address, or all that the kernel chooses from. */
function takenOf(
  { sourceAddresses, endpoint }: Need,
  { byAddress, byEndpoint }: TakenPorts,
): { taken: number; where: string }[] {
  if (sourceAddresses.length === 0) {
    const isTowards = (key: string): boolean => endpoint !== undefined && key.endsWith(` ${endpoint}`);
    const towards = Object.entries(byEndpoint).flatMap(([key, taken]) => (isTowards(key) ? taken : []));
    return [{ taken: Math.max(0, ...towards), where: 'towards the target' }];
  }
  const taken = (address: string): number => byAddress[address] ?? 0;
  // A port of a wildcard address is taken on every one.
  const everywhere = taken('0.0.0.0') + taken('::');
  return sourceAddresses.map((address) => ({ taken: taken(address) + everywhere, where: `of ${address}` }));
}
