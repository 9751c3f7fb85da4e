import { existsSync } from 'node:fs';
import os from 'node:os';
import type { MachineLimits } from '../contract/shard.js';
import { countDescriptors, readProcText } from '../measure/rig/machine.js';
import { type PortRange, parseTakenPorts } from './taken-ports.js';

const isLinux = process.platform === 'linux';

/** The limits of this process and its machine as they are now. */
export function machineLimits(): MachineLimits {
  const range = portRange();
  return {
    descriptors: descriptorLimit(),
    descriptorsUsed: descriptorsUsed(),
    sourcePorts: range && range.high - range.low + 1,
    portsTaken: range && parseTakenPorts([read('/proc/net/tcp'), read('/proc/net/tcp6')], range),
    connectionTracking: connectionTracking(),
    memoryAvailableBytes: process.availableMemory(),
    machineMemoryAvailableBytes: os.freemem(),
  };
}

/** Open file descriptors of this process; null if unknown, or if none is free to count them with. */
export function descriptorsUsed(): number | null {
  return (isLinux ? countDescriptors() : undefined) ?? null;
}

/** File descriptor limit of this process; null if unknown. */
export function descriptorLimit(): number | null {
  const soft = /^Max open files\s+(\d+)/m.exec(read('/proc/self/limits'))?.[1];
  return soft === undefined ? null : Number(soft);
}

/** The range from which the kernel chooses source ports; null if unknown. */
function portRange(): PortRange | null {
  const [, low, high] = /^(\d+)\s+(\d+)/.exec(read('/proc/sys/net/ipv4/ip_local_port_range')) ?? [];
  return low === undefined ? null : { low: Number(low), high: Number(high) };
}

const netfilter = '/proc/sys/net/netfilter';

/**
 * The connections that the kernel tracks in the network namespace of this process; null if it tracks none there. Where
 * it does, it tracks at least the one over which a driver asks.
 */
function connectionTracking(): MachineLimits['connectionTracking'] {
  if (!existsSync(`${netfilter}/nf_conntrack_count`)) return null;
  const tracked = Number(read(`${netfilter}/nf_conntrack_count`));
  return tracked > 0 ? { tracked, most: Number(read(`${netfilter}/nf_conntrack_max`)) } : null;
}

/** Empty if unknown. */
function read(path: string): string {
  return (isLinux ? readProcText(path) : undefined) ?? '';
}
