import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { ShardInfo, ShardSelf } from '../contract/shard.js';
import { version } from '../contract/version.js';
import { LoadWindow, type Readings } from '../measure/rig/load-window.js';
import { countDescriptors, readClockId, readMachine, readProcText, readRssBytes } from '../measure/rig/machine.js';
import { readTcp, tcpBetween } from '../measure/tcp.js';
import { type PortRange, parseTakenPorts } from './taken-ports.js';

const isLinux = process.platform === 'linux';

/** Names a bench-runner in all its results. `bootId` is new with every start of the process. */
export type Identity = Pick<ShardInfo, 'bootId' | 'clockId' | 'version' | 'machine'>;

/** The identity of this process. */
export function createIdentity(): Identity {
  return { bootId: randomUUID(), clockId: readClockId(), version, machine: readMachine() };
}

/** Measures the process and machine of a bench-runner under load, from construction on. */
export class ShardSelfMeasure {
  readonly #window: LoadWindow<Readings>;
  /** Read at both ends only: listing them costs the kernel memory for each. */
  readonly #descriptorsAtStart = descriptorsUsed();
  /** Read at both ends, rests included: what is lost under load is resent in a rest. */
  readonly #tcpAtStart = readTcp();
  #rssPeakBytes = 0;

  /** `figures`: live figures of all workers; a load changes them. */
  constructor(figures: object) {
    this.#window = new LoadWindow(readShard(), figures);
  }

  /** Call with the current figures several times a second. */
  look(figures: object): void {
    this.#rssPeakBytes = Math.max(this.#rssPeakBytes, readRssBytes() ?? 0);
    this.#window.look(readShard(), figures);
  }

  /** What the process and machine did in the window. */
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

/** Growing sums in milliseconds: CPU of the process, and all and idle time of each core. */
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

/** Open file descriptors of this process; null if unknown, or if none is free to count them with. */
export function descriptorsUsed(): number | null {
  return (isLinux ? countDescriptors() : undefined) ?? null;
}

/** File descriptor limit of this process; null if unknown. */
export function descriptorLimit(): number | null {
  const soft = /^Max open files\s+(\d+)/m.exec(read('/proc/self/limits'))?.[1];
  return soft === undefined ? null : Number(soft);
}

/** Source ports that one address can use towards one endpoint; null if unknown. */
export function sourcePorts(): number | null {
  const range = portRange();
  return range && range.high - range.low + 1;
}

/** Source ports of this machine in use or in TIME_WAIT; null if unknown. */
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

/** Empty if unknown. */
function read(path: string): string {
  return (isLinux ? readProcText(path) : undefined) ?? '';
}
