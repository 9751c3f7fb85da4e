import { readlinkSync } from 'node:fs';
import { unlessCode } from '../units/system.js';
import { countText } from '../units/text.js';
import { readProcText } from './rig/machine.js';

/** Names the kernel's TCP counts of a network namespace, by entry of `/proc/net/snmp` and `/proc/net/netstat`. */
export const tcpEntries = {
  sent: { entry: 'Tcp.OutSegs', means: 'segments sent, acknowledgements included' },
  received: { entry: 'Tcp.InSegs', means: 'segments received, acknowledgements included' },
  dataSent: { entry: 'TcpExt.TCPOrigDataSent', means: 'segments with data sent for the first time' },
  sentAgain: { entry: 'Tcp.RetransSegs', means: 'segments sent again, those that open a connection included' },
  openingsSentAgain: { entry: 'TcpExt.TCPSynRetrans', means: 'openings sent again: lost, or a full accept queue' },
  sentTwice: { entry: 'TcpExt.TCPDSACKRecvSegs', means: 'segments sent again although they had arrived' },
  timeouts: { entry: 'TcpExt.TCPTimeouts', means: 'retransmission timers that ran out' },
  lossProbes: { entry: 'TcpExt.TCPLossProbes', means: 'probes for a lost tail' },
  lostAgain: { entry: 'TcpExt.TCPLostRetransmit', means: 'segments sent again that were lost again' },
  outOfOrder: { entry: 'TcpExt.TCPOFOQueue', means: 'segments received behind one that was missing' },
  duplicatesOld: { entry: 'TcpExt.TCPDSACKOldSent', means: 'segments received twice' },
  duplicatesOutOfOrder: { entry: 'TcpExt.TCPDSACKOfoSent', means: 'segments received twice behind a missing one' },
  acknowledgementsLost: { entry: 'TcpExt.DelayedACKLost', means: 'delayed acknowledgements that were lost' },
  resets: { entry: 'Tcp.EstabResets', means: 'open connections that ended by a reset' },
  resetsSent: { entry: 'Tcp.OutRsts', means: 'resets sent' },
  windowsClosed: { entry: 'TcpExt.TCPToZeroWindowAdv', means: 'receivers here that had no room left' },
  windowsOpened: { entry: 'TcpExt.TCPFromZeroWindowAdv', means: 'receivers here that had room again' },
  windowsProbed: { entry: 'TcpExt.TCPWinProbe', means: 'probes of receivers elsewhere that had no room' },
  listenOverflows: { entry: 'TcpExt.ListenOverflows', means: 'connections for which an accept queue had no room' },
  listenDrops: { entry: 'TcpExt.ListenDrops', means: 'connections that a listening socket dropped' },
} as const;

export type TcpName = keyof typeof tcpEntries;
export type TcpCounts = Record<TcpName, number>;

/** Holds counts of one network namespace. Kernel boot and namespace name it. */
export interface NamespaceTcp {
  namespace: string;
  counts: TcpCounts;
  /** Share of the time in which nothing arrived while timers ran out. Left out if there was no such time. */
  stalledShare?: number | undefined;
}

export const tcpNames = Object.keys(tcpEntries) as [TcpName, ...TcpName[]];

/** Reads the TCP counts of this process's network namespace. Undefined if the system does not provide them. */
export function readTcp(): NamespaceTcp | undefined {
  return ifReadable(() => {
    const snmp = readProcText('/proc/self/net/snmp');
    const netstat = readNetstat();
    const bootId = readProcText('/proc/sys/kernel/random/boot_id')?.trim();
    if (snmp === undefined || netstat === undefined || bootId === undefined) return undefined;
    const namespace = `${bootId}/${readlinkSync('/proc/self/ns/net')}`;
    return { namespace, counts: parseTcp(snmp + netstat) };
  });
}

/** Reads how many timers of open connections ran out so far. A full accept queue makes those of openings run out. */
export function readTimeouts(): number | undefined {
  const text = ifReadable(readNetstat);
  if (text === undefined) return undefined;
  const { timeouts, openingsSentAgain } = parseTcp(text);
  return Math.max(0, timeouts - openingsSentAgain);
}

const readNetstat = (): string | undefined => readProcText('/proc/self/net/netstat');

/** Returns undefined without a readable `/proc`. */
function ifReadable<T>(read: () => T | undefined): T | undefined {
  return process.platform === 'linux' ? unlessCode(['ENOENT', 'EACCES', 'EPERM'], read) : undefined;
}

/** Reads the tables. Each is a line of names above a line of values. Counts that an older kernel lacks are 0. */
export function parseTcp(text: string): TcpCounts {
  const found: Partial<TcpCounts> = {};
  const lines = text.split('\n');
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const columns = columnsOf(lines[at]!);
    if (columns.length === 0) continue;
    const cells = lines[at + 1]!.split(' ');
    for (const { name, column } of columns) found[name] = Number(cells[column]);
  }
  return byName((name) => found[name] ?? 0);
}

/** Caches the columns of the counts by the line of names. A kernel does not change these lines. */
const knownColumns = new Map<string, { name: TcpName; column: number }[]>();

function columnsOf(names: string): { name: TcpName; column: number }[] {
  const known = knownColumns.get(names);
  if (known !== undefined) return known;
  const [table = '', ...entries] = names.split(' ');
  const columns = tcpNames.flatMap((name) => {
    const at = entries.findIndex((entry) => `${table.slice(0, -1)}.${entry}` === tcpEntries[name].entry);
    return at === -1 ? [] : [{ name, column: at + 1 }];
  });
  knownColumns.set(names, columns);
  return columns;
}

/** Returns the counts between two readings of one namespace. Undefined for two namespaces. */
export function tcpBetween(
  before: NamespaceTcp | undefined,
  after: NamespaceTcp | undefined,
): NamespaceTcp | undefined {
  if (!before || !after || before.namespace !== after.namespace) return undefined;
  const { namespace } = after;
  return { namespace, counts: byName((name) => Math.max(0, after.counts[name] - before.counts[name])) };
}

/** Combines counts of processes. Those of one namespace saw the same segments, so its widest reading counts. */
export function tcpTogether(all: readonly NamespaceTcp[]): TcpCounts {
  const widest = new Map<string, TcpCounts>();
  for (const { namespace, counts } of all) {
    if ((widest.get(namespace)?.received ?? -1) < counts.received) widest.set(namespace, counts);
  }
  return byName((name) => [...widest.values()].reduce((sum, counts) => sum + counts[name], 0));
}

/** Returns the number of lost data segments: those sent again and not received twice. */
export function segmentsLost({ sentAgain, openingsSentAgain, sentTwice }: TcpCounts): number {
  return Math.max(0, sentAgain - openingsSentAgain - sentTwice);
}

/** A delivery takes two segments: request and frame. A segment out of order is as late as the missing one. */
const latePerSign = 2;

/**
 * Returns the largest share of deliveries, 0 to 1, that lost segments can have delayed. Segments of openings do not
 * count. While a link stands still, few segments are lost and all deliveries wait. `stalledShare` is the share of that
 * time.
 */
export function lateShare(counts: TcpCounts, stalledShare = 0): number {
  const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
  const lost = share(segmentsLost(counts), counts.dataSent);
  return Math.min(1, latePerSign * (lost + share(counts.outOfOrder, counts.received)) + stalledShare);
}

function byName(value: (name: TcpName) => number): TcpCounts {
  return Object.fromEntries(tcpNames.map((name) => [name, value(name)])) as TcpCounts;
}

/** Describes TCP losses and stalled receivers. Empty if there are none. Resets of our clients count as causes. */
export function tcpInWords(counts: TcpCounts): string {
  const of = (part: number, what: string): string[] => (part > 0 ? [`${countText(part)} ${what}`] : []);
  const { dataSent, outOfOrder, received, openingsSentAgain, sentTwice, timeouts } = counts;
  const lost = segmentsLost(counts);
  const ofData = `of ${countText(dataSent)} data segments lost and sent again`;
  const losses = [
    ...of(lost, lost > dataSent ? `times a data segment was sent again, of ${countText(dataSent)}` : ofData),
    ...of(outOfOrder, `of ${countText(received)} segments received out of order`),
    ...of(openingsSentAgain, 'openings of connections sent again'),
  ];
  const beside = [...of(sentTwice, 'sent twice for nothing'), ...of(timeouts, 'timers ran out')];
  const others = [
    ...of(counts.windowsClosed, 'times a receiver here had no room left'),
    ...of(counts.windowsProbed, 'probes of receivers elsewhere that had no room'),
  ];
  return [...losses, ...(losses.length > 0 ? beside : []), ...others].join(', ');
}
