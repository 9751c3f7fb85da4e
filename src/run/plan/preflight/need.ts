import type { ShardInfo } from '../../../contract/shard.js';
import { share } from '../../../measure/share.js';

/** What a shard says of itself and its machine. */
export type Info = Pick<ShardInfo, 'clockId' | 'engine' | 'limits'>;
export type Shards = readonly { url: string; info: Info }[];

/** What a run needs of the machines. */
export interface Need {
  clients: number;
  /** Jobs that each shard runs at once, all of this size. */
  jobs?: number;
  /** Sockets that stay half open beside those of the current clients. */
  halfOpen?: number;
  maxInFlight: number;
  /** Whether the native engine holds the clients on shards that have it. */
  prefersNative: boolean;
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
  /** Memory of the target for each connection and each process. */
  targetBytes: { connection: number; process: number };
}

/** The part of a run that one shard, or all shards of one machine, have. */
export interface Part {
  urls: readonly string[];
  clients: number;
  halfOpen: number;
  /** Of the first shard. */
  info: Info;
}

/** The part of each shard. */
export function partsOf(need: Need, shards: Shards): Part[] {
  const { jobs = 1 } = need;
  return shards.map(({ url, info }, index) => ({
    urls: [url],
    clients: share(need.clients, index, shards.length) * jobs,
    halfOpen: share(need.halfOpen ?? 0, index, shards.length) * jobs,
    info,
  }));
}

/** The parts by machine: its shards share its source ports, its memory and its connection tracking. */
export function byMachine(parts: readonly Part[]): Part[][] {
  const machines = new Map<string, Part[]>();
  for (const part of parts) {
    const { clockId } = part.info;
    machines.set(clockId, [...(machines.get(clockId) ?? []), part]);
  }
  return [...machines.values()];
}

/** Several parts as one. */
export function together([first, ...others]: readonly Part[]): Part {
  if (!first) throw new Error('a machine has at least one shard');
  return others.reduce(
    (all, part) => ({
      urls: [...all.urls, ...part.urls],
      clients: all.clients + part.clients,
      halfOpen: all.halfOpen + part.halfOpen,
      info: all.info,
    }),
    first,
  );
}

/** Whether the native engine holds the clients of a shard. */
export function isNativeOn({ engine }: Info, { prefersNative }: Need): boolean {
  return prefersNative && engine.name === 'native';
}

export function inWords({ clients, halfOpen = 0 }: Pick<Need, 'clients' | 'halfOpen'>): string {
  return `${clients} clients${halfOpen > 0 ? ` and about ${halfOpen} sockets that they leave half open` : ''}`;
}
