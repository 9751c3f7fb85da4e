import os from 'node:os';
import type { ShardInfo } from '../contract/shard.js';

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
