import { closeSync, existsSync, openSync } from 'node:fs';
import os, { devNull } from 'node:os';
import type { MachineLimits, ShardInfo } from '../contract/shard.js';
import { countDescriptors, readProcText } from '../measure/rig/machine.js';

type TakenPorts = NonNullable<ShardInfo['limits']['portsTaken']>;

interface PortRange {
  low: number;
  high: number;
}

/** Addresses and endpoints with fewer sockets change no decision. */
const leastTold = 16;
const listening = '0A';
const row = /^ *\d+: ([\dA-F]+):([\dA-F]{4}) ([\dA-F]+:[\dA-F]{4}) ([\dA-F]{2}) /gm;

/** Counts the source ports that sockets in `/proc/net/tcp` and `/proc/net/tcp6` take, including those in TIME_WAIT. */
export function parseTakenPorts(tables: readonly string[], { low, high }: PortRange): TakenPorts {
  const seen = new Set<string>();
  const byAddress: Record<string, number> = {};
  const byEndpoint: Record<string, number> = {};
  const names = new Map<string, string>();
  const nameOf = (hex: string): string => names.get(hex) ?? (names.set(hex, addressOf(hex)).get(hex) as string);
  for (const [, local = '', port = '', remote = '', state] of tables.flatMap((table) => [...table.matchAll(row)])) {
    const number = Number.parseInt(port, 16);
    if (number < low || number > high) continue;
    const address = nameOf(local);
    // The two families seldom use the same port.
    if (!seen.has(local + port)) byAddress[address] = (byAddress[address] ?? 0) + 1;
    seen.add(local + port);
    if (state === listening) continue;
    const [host = '', at = ''] = remote.split(':');
    const key = `${address} ${nameOf(host)} ${Number.parseInt(at, 16)}`;
    byEndpoint[key] = (byEndpoint[key] ?? 0) + 1;
  }
  return { byAddress: worthTelling(byAddress), byEndpoint: worthTelling(byEndpoint) };
}

function worthTelling(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count >= leastTold));
}

/** Formats an address as in URLs, from words of four bytes in the byte order of this machine. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  if (os.endianness() === 'LE') bytes.swap32();
  const isMapped = bytes.length === 16 && bytes.subarray(0, 12).toString('hex') === '00000000000000000000ffff';
  if (bytes.length === 4 || isMapped) return bytes.subarray(-4).join('.');
  const groups = bytes.toString('hex').match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** Descriptors for a publish connection, its DNS lookup, some requests of the driver and a read of `/proc`. */
const spare = 16;

/** Reserves file descriptors that clients can't take, for later work. Holds fewer if fewer are free. */
export class SpareDescriptors {
  #held: number[] = [];

  constructor(count = spare) {
    try {
      while (this.#held.length < count) this.#held.push(openSync(devNull, 'r'));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EMFILE' && code !== 'ENFILE') throw error;
    }
  }

  get size(): number {
    return this.#held.length;
  }

  release(): void {
    for (const descriptor of this.#held) closeSync(descriptor);
    this.#held = [];
  }
}

const isLinux = process.platform === 'linux';

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

/** Counts the open file descriptors of this process; null if unknown, or if none is free to count them with. */
export function descriptorsUsed(): number | null {
  return (isLinux ? countDescriptors() : undefined) ?? null;
}

/** Returns the file descriptor limit of this process; null if unknown. */
export function descriptorLimit(): number | null {
  const soft = /^Max open files\s+(\d+)/m.exec(read('/proc/self/limits'))?.[1];
  return soft === undefined ? null : Number(soft);
}

function portRange(): PortRange | null {
  const [, low, high] = /^(\d+)\s+(\d+)/.exec(read('/proc/sys/net/ipv4/ip_local_port_range')) ?? [];
  return low === undefined ? null : { low: Number(low), high: Number(high) };
}

const netfilter = '/proc/sys/net/netfilter';

/** A tracking kernel tracks at least the connection of the asking driver. */
function connectionTracking(): MachineLimits['connectionTracking'] {
  if (!existsSync(`${netfilter}/nf_conntrack_count`)) return null;
  const tracked = Number(read(`${netfilter}/nf_conntrack_count`));
  return tracked > 0 ? { tracked, most: Number(read(`${netfilter}/nf_conntrack_max`)) } : null;
}

function read(path: string): string {
  return (isLinux ? readProcText(path) : undefined) ?? '';
}
