import { type Problem, problem } from '../contract/problems.js';
import type { ShardInfo } from '../contract/shard.js';
import { share } from '../measure/share.js';

/** Descriptors that a process needs beside its clients: runtime, worker loops, publish connections, HTTP. */
const descriptorsBeside = 200;

/** What a run asks of the machines that it will use. */
export interface Need {
  clients: number;
  maxInFlight: number;
  /** Source addresses that each shard spreads its clients over. */
  sourceAddresses: number;
  /** Clock of this machine when the target is to be started on its loopback; null when it is reachable from elsewhere. */
  targetClockId: string | null;
  /** Descriptor limit of the target's process, when it is a process of this machine; null when unknown. */
  targetDescriptors: number | null;
}

/** Holds what a run needs against what each shard and the target can have. Pure; gives every problem at once. */
export function preflight(need: Need, shards: readonly { url: string; info: ShardInfo }[]): Problem[] {
  const problems: Problem[] = [];
  shards.forEach(({ url, info }, index) => {
    const clients = share(need.clients, index, shards.length);
    if (need.targetClockId !== null && info.clockId !== need.targetClockId) {
      problems.push(
        problem(
          'targetOutOfReach',
          `${url} runs on another machine than this driver, which would start the target on its own loopback`,
        ),
      );
    }
    const { descriptors, descriptorsUsed, sourcePorts } = info.limits;
    const wanted = clients + need.maxInFlight + descriptorsBeside;
    const free = descriptors === null ? null : descriptors - (descriptorsUsed ?? 0);
    if (free !== null && wanted > free) {
      problems.push(
        problem(
          'descriptorLimit',
          `${url}: ${clients} clients need ${wanted} file descriptors, free are ${free} of ${descriptors}`,
        ),
      );
    }
    const ports = sourcePorts === null ? null : sourcePorts * need.sourceAddresses;
    if (ports !== null && clients > ports) {
      problems.push(
        problem(
          'portLimit',
          `${url}: ${clients} clients need as many source ports, and ${need.sourceAddresses} source address(es) have ${ports} towards one target`,
        ),
      );
    }
  });
  const wanted = need.clients + descriptorsBeside;
  if (need.targetDescriptors !== null && wanted > need.targetDescriptors) {
    problems.push(
      problem(
        'descriptorLimit',
        `the target: ${need.clients} clients need ${wanted} file descriptors in one process, its limit is ${need.targetDescriptors}`,
        'Raise the limit (`ulimit -n`, LimitNOFILE=), ask for fewer clients, or bring a target that runs as several processes.',
      ),
    );
  }
  return problems;
}
