import os from 'node:os';
import type { ShardInfo, ShardSelf } from '../contract/shard.js';
import { LoadWindow, type Readings } from '../measure/rig/load-window.js';
import { countDescriptors, readProcText, readRssBytes } from '../measure/rig/machine.js';
import { readTcp, tcpBetween } from '../measure/tcp.js';
import { type PortRange, parseTakenPorts } from './taken-ports.js';

const isLinux = process.platform === 'linux';

/** Measures the bench-runner's process and machine while there is a load, from its making on. */
export class ShardSelfMeasure {
  readonly #window: LoadWindow<Readings>;
  /** Read at both ends of the window only: listing them costs the kernel memory for each. */
  readonly #descriptorsAtStart = descriptorsUsed();
  /** Read at both ends, rests included: what was lost comes again in a rest. */
  readonly #tcpAtStart = readTcp();
  #rssPeakBytes = 0;

  /** `figures` are the live ones of all workers, by which a load is told. */
  constructor(figures: object) {
    this.#window = new LoadWindow(readShard(), figures);
  }

  /** To be told the figures several times in a second. */
  look(figures: object): void {
    this.#rssPeakBytes = Math.max(this.#rssPeakBytes, readRssBytes() ?? 0);
    this.#window.look(readShard(), figures);
  }

  /** Says what was in the window. */
  stop(figures: object): Omit<ShardSelf, 'coreSpeed'> {
    this.look(figures);
    const { sums } = this.#window;
    const tcp = tcpBetween(this.#tcpAtStart, readTcp());
    return {
      cpuMs: sums.cpuMs ?? 0,
      rssPeakBytes: this.#rssPeakBytes,
      coreBusy: os.cpus().map((_, core) => busyShare(sums[`core ${core} idle`], sums[`core ${core} all`])),
      descriptorsUsed: isLinux ? Math.max(this.#descriptorsAtStart ?? 0, descriptorsUsed() ?? 0) : null,
      descriptorLimit: descriptorLimit(),
      timeWait: timeWaitSockets(),
      ...(tcp && { tcp }),
    };
  }
}

/** What grows while the process and its machine run: milliseconds, of each core in all and idle. */
function readShard(): Readings {
  const { user, system } = process.cpuUsage();
  const cores = os.cpus().flatMap(({ times }, core) => [
    [`core ${core} all`, Object.values(times).reduce((sum, each) => sum + each, 0)],
    [`core ${core} idle`, times.idle],
  ]);
  return { windowMs: performance.now(), cpuMs: (user + system) / 1000, ...Object.fromEntries(cores) };
}

function busyShare(idle = 0, all = 0): number {
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
  const range = portRange();
  return range && range.high - range.low + 1;
}

/** The source ports of this machine that are in use or in TIME_WAIT; null where the system does not tell. */
export function takenPorts(): ShardInfo['limits']['portsTaken'] {
  const range = portRange();
  return range && parseTakenPorts([read('/proc/net/tcp'), read('/proc/net/tcp6')], range);
}

function portRange(): PortRange | null {
  const [, low, high] = /^(\d+)\s+(\d+)/.exec(read('/proc/sys/net/ipv4/ip_local_port_range')) ?? [];
  return low === undefined ? null : { low: Number(low), high: Number(high) };
}

function timeWaitSockets(): number | null {
  const waiting = /^TCP:.* tw (\d+)/m.exec(read('/proc/net/sockstat'))?.[1];
  return waiting === undefined ? null : Number(waiting);
}

/** Empty where the system does not tell. */
function read(path: string): string {
  return (isLinux ? readProcText(path) : undefined) ?? '';
}
