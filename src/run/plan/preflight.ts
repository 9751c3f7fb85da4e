import { isIP } from 'node:net';
import { overLimits } from '../../contract/bodies.js';
import { type Problem, problem } from '../../contract/problems.js';
import { readClockId } from '../../measure/rig/machine.js';
import { shareOf } from '../../measure/share.js';
import { clientPorts, footprintOf } from '../../targets/target.js';
import { firstHost, hostOf, sourceAddresses } from '../../units/addresses.js';
import { processesOf } from '../server/supervised.js';
import {
  byMachine,
  memoryProblems,
  partsOf,
  partsTogether,
  portProblems,
  type RunNeed,
  type RunPart,
  type Shards,
  shardDescriptors,
  targetDescriptors,
  trackingProblems,
} from './needs.js';
import type { Plan } from './plan.js';

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
  const parts = partsOf(need, shards);
  const machines = byMachine(parts);
  return [
    ...parts.flatMap((part) => [...outOfReach(need, part), ...shardDescriptors(need, part)]),
    ...machines.flatMap((each) => [
      ...portProblems(need, partsTogether(each)),
      ...trackingProblems(need, partsTogether(each)),
    ]),
    ...machines.flatMap((each) => memoryProblems(need, each)),
    ...targetDescriptors(need),
  ];
}

function outOfReach({ targetClockId }: RunNeed, { urls: [url], info }: RunPart): Problem[] {
  if (targetClockId === null || info.clockId === targetClockId) return [];
  const message = `${url}: expected a bench-runner on this machine, as the target starts on its loopback`;
  return [problem('targetOutOfReach', message)];
}
