import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { ShardInfo, ShardSelf } from '../contract/shard.js';
import { version } from '../contract/version.js';
import { busyShare, type CoreTicks, readCores, stolenShare } from '../measure/rig/cores.js';
import { LoadWindow, type Readings } from '../measure/rig/load-window.js';
import { countDescriptors, readClockId, readMachine, readProcText, readRssBytes } from '../measure/rig/machine.js';
import { readTcp, tcpBetween } from '../measure/tcp.js';

const isLinux = process.platform === 'linux';

/** Names a bench-runner in all its results. `bootId` is new with every start of the process. */
export type Identity = Pick<ShardInfo, 'bootId' | 'clockId' | 'version' | 'machine'>;

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
  /** As last read: a reading fails while no descriptor is free. */
  #cores: readonly CoreTicks[] = readCores() ?? coresOfNode();

  /** `figures`: live figures of all workers; a load changes them. */
  constructor(figures: object) {
    this.#window = new LoadWindow(this.#read(), figures);
  }

  /** Call with the current figures several times a second. */
  look(figures: object): void {
    this.#rssPeakBytes = Math.max(this.#rssPeakBytes, readRssBytes() ?? 0);
    this.#window.look(this.#read(), figures);
  }

  /** Growing sums: CPU of the process in milliseconds, and ticks of each core. */
  #read(): Readings {
    const { user, system } = process.cpuUsage();
    this.#cores = readCores() ?? (isLinux ? this.#cores : coresOfNode());
    const ticks = this.#cores.flatMap(({ core, busy, idle, stolen }) => [
      [`${core} busy`, busy],
      [`${core} idle`, idle],
      [`${core} stolen`, stolen],
    ]);
    return { windowMs: performance.now(), cpuMs: (user + system) / 1000, ...Object.fromEntries(ticks) };
  }

  stop(figures: object): Omit<ShardSelf, 'coreSpeed'> {
    this.look(figures);
    const { sums } = this.#window;
    const cores = this.#cores.map(({ core }) => {
      const ticks = (of: string): number => sums[`${core} ${of}`] ?? 0;
      return { busy: ticks('busy'), idle: ticks('idle'), stolen: ticks('stolen') };
    });
    const stolen = isLinux ? stolenShare(cores) : undefined;
    const tcp = tcpBetween(this.#tcpAtStart, readTcp());
    return {
      cpuMs: sums.cpuMs ?? 0,
      rssPeakBytes: this.#rssPeakBytes,
      coreBusy: cores.map(busyShare),
      ...(stolen !== undefined && { stolenShare: stolen }),
      descriptorsUsed: isLinux ? Math.max(this.#descriptorsAtStart ?? 0, descriptorsUsed() ?? 0) : null,
      descriptorLimit: descriptorLimit(),
      timeWait: timeWaitSockets(),
      ...(tcp && { tcp }),
    };
  }
}

/** Node knows of no stolen time. */
function coresOfNode(): CoreTicks[] {
  return os.cpus().map(({ times: { user, nice, sys, irq, idle } }, core) => {
    return { core: `cpu${core}`, busy: user + nice + sys + irq, idle, stolen: 0 };
  });
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

type TakenPorts = NonNullable<ShardInfo['limits']['portsTaken']>;

/** Ports from which the kernel chooses, both ends included. */
export interface PortRange {
  low: number;
  high: number;
}

/** Addresses and endpoints with fewer are left out: there can be tens of thousands, and they decide nothing. */
const leastTold = 16;
const listening = '0A';
const row = /^ *\d+: ([\dA-F]+):([\dA-F]{4}) ([\dA-F]+:[\dA-F]{4}) ([\dA-F]{2}) /gm;

/** The source ports that the sockets of `/proc/net/tcp` and `/proc/net/tcp6` take, those in TIME_WAIT among them. */
export function parseTakenPorts(tables: readonly string[], { low, high }: PortRange): TakenPorts {
  const portsOf = new Map<string, Set<string>>();
  const socketsTo = new Map<string, number>();
  for (const [, local = '', port = '', remote = '', state] of tables.flatMap((table) => [...table.matchAll(row)])) {
    const number = Number.parseInt(port, 16);
    if (number < low || number > high) continue;
    const ports = portsOf.get(local);
    if (ports) ports.add(port);
    else portsOf.set(local, new Set([port]));
    if (state === listening) continue;
    const pair = `${local} ${remote}`;
    socketsTo.set(pair, (socketsTo.get(pair) ?? 0) + 1);
  }
  const byAddress: Record<string, number> = {};
  for (const [local, { size }] of portsOf) {
    const address = addressOf(local);
    // A port of one family and the same of the other are seldom both there.
    byAddress[address] = (byAddress[address] ?? 0) + size;
  }
  const byEndpoint: Record<string, number> = {};
  for (const [pair, sockets] of socketsTo) {
    const [local = '', host = '', port = ''] = pair.split(/[ :]/);
    const key = `${addressOf(local)} ${addressOf(host)} ${Number.parseInt(port, 16)}`;
    byEndpoint[key] = (byEndpoint[key] ?? 0) + sockets;
  }
  return { byAddress: worthTelling(byAddress), byEndpoint: worthTelling(byEndpoint) };
}

function worthTelling(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count >= leastTold));
}

/** An address as URLs have it, from words of four bytes in the order of this machine. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  if (os.endianness() === 'LE') bytes.swap32();
  const isMapped = bytes.length === 16 && bytes.subarray(0, 12).toString('hex') === '00000000000000000000ffff';
  if (bytes.length === 4 || isMapped) return bytes.subarray(-4).join('.');
  const groups = bytes.toString('hex').match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
