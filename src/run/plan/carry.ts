import { isIP } from 'node:net';
import { overLimits } from '../../contract/limits.js';
import type { Problem } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { readClockId } from '../../measure/rig/machine.js';
import { share } from '../../measure/share.js';
import { sourceAddresses } from '../../units/addresses.js';
import type { Plan } from './plan.js';
import { preflight } from './preflight.js';

/** What is to carry a load: shards, and the descriptor limit of processes that are started here; null when unknown. */
export interface Carrier {
  shards: readonly { url: string; info: ShardInfo }[];
  childDescriptors: number | null;
}

/** What speaks against a plan before any load is made: what its job needs of the machines, held against what they have and what each shard takes. */
export function carryProblems(plan: Plan, { shards, childDescriptors }: Carrier): Problem[] {
  const { isOurs } = plan.target;
  const host = plan.target.isOurs ? '127.0.0.1' : new URL(plan.target.wsUrl).hostname;
  const demand = plan.scenario.demand(plan.options, plan.load);
  const { clients, halfOpen = 0 } = demand;
  const need = {
    clients,
    halfOpen,
    maxInFlight: plan.load.maxInFlight,
    sourceAddresses: [...new Set(sourceAddresses(plan.load.localAddresses, host, clients))],
    endpoint: plan.target.isOurs ? undefined : endpointOf(new URL(plan.target.wsUrl)),
    targetProcesses: plan.fleet.targetProcesses,
    targetClockId: isOurs ? readClockId() : null,
    targetDescriptors: isOurs ? childDescriptors : null,
  };
  const over = shards.flatMap(({ url, info }, index) =>
    overLimits(demand, share(clients, index, shards.length), info.limits, `${url}: `),
  );
  return [...preflight(need, shards), ...over];
}

/** The address and port of a URL that names no host: what a name is where a shard runs is not known here. */
function endpointOf({ hostname, protocol, port }: URL): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : `${host} ${port || (protocol === 'wss:' ? 443 : 80)}`;
}
