import os from 'node:os';
import type { ShardSelf } from '../contract/shard.js';
import { countDescriptors, readProcText, readRssBytes } from '../measure/machine.js';

const isLinux = process.platform === 'linux';

/** Measures the bench-runner's process and machine over a window that begins with its making. */
export class ShardSelfMeasure {
  readonly #startCpu = process.cpuUsage();
  readonly #startCores = os.cpus();
  /** Read at both ends of the window only: listing them costs the kernel memory for each. */
  readonly #descriptorsAtStart = descriptorsUsed();
  #rssPeakBytes = 0;

  /** Takes a reading of what has a peak. */
  look(): void {
    this.#rssPeakBytes = Math.max(this.#rssPeakBytes, readRssBytes() ?? 0);
  }

  /** Says what was in the window. */
  stop(): Omit<ShardSelf, 'coreSpeed'> {
    this.look();
    const { user, system } = process.cpuUsage(this.#startCpu);
    return {
      cpuMs: (user + system) / 1000,
      rssPeakBytes: this.#rssPeakBytes,
      coreBusy: os.cpus().map((core, index) => busyShare(this.#startCores[index]?.times, core.times)),
      descriptorsUsed: isLinux ? Math.max(this.#descriptorsAtStart ?? 0, descriptorsUsed() ?? 0) : null,
      descriptorLimit: descriptorLimit(),
      timeWait: timeWaitSockets(),
    };
  }
}

function busyShare(before: os.CpuInfo['times'] | undefined, after: os.CpuInfo['times']): number {
  const total = (times: os.CpuInfo['times']): number => Object.values(times).reduce((sum, each) => sum + each, 0);
  const all = total(after) - (before ? total(before) : 0);
  const idle = after.idle - (before?.idle ?? 0);
  return all > 0 ? Math.min(1, Math.max(0, 1 - idle / all)) : 0;
}

/** Open file descriptors of this process; null where the system does not tell, and when there is none free to count them with. */
export function descriptorsUsed(): number | null {
  return (isLinux ? countDescriptors() : undefined) ?? null;
}

/** The most file descriptors this process may have; null where the system does not tell. */
export function descriptorLimit(): number | null {
  const soft = /^Max open files\s+(\d+)/m.exec(read('/proc/self/limits'))?.[1];
  return soft === undefined ? null : Number(soft);
}

/** Source ports that one address may use towards one endpoint; null where the system does not tell. */
export function sourcePorts(): number | null {
  const [, low, high] = /^(\d+)\s+(\d+)/.exec(read('/proc/sys/net/ipv4/ip_local_port_range')) ?? [];
  return low === undefined ? null : Number(high) - Number(low) + 1;
}

/** TCP sockets of this machine that are in use or in TIME_WAIT; null where the system does not tell. */
export function socketsTaken(): number | null {
  const [, inUse, waiting] = /^TCP: inuse (\d+) .*tw (\d+)/m.exec(read('/proc/net/sockstat')) ?? [];
  return inUse === undefined ? null : Number(inUse) + Number(waiting);
}

function timeWaitSockets(): number | null {
  const waiting = /^TCP:.* tw (\d+)/m.exec(read('/proc/net/sockstat'))?.[1];
  return waiting === undefined ? null : Number(waiting);
}

/** Empty where the system does not tell. */
function read(path: string): string {
  return (isLinux ? readProcText(path) : undefined) ?? '';
}
