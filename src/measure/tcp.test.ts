import { describe, expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import {
  lateShare,
  parseTcp,
  readTcp,
  readTimeouts,
  segmentsLost,
  type TcpCounts,
  tcpBetween,
  tcpInWords,
  tcpNames,
  tcpTogether,
} from './tcp.js';

const none = Object.fromEntries(tcpNames.map((name) => [name, 0])) as TcpCounts;
const counts = (more: Partial<TcpCounts>): TcpCounts => ({ ...none, ...more });

const snmp = `Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoAlgorithm EstabResets InSegs OutSegs RetransSegs OutRsts
Tcp: 1 3 30011 30013 23 7
`;
const netstat = `TcpExt: SyncookiesSent DelayedACKLost TCPOFOQueue TCPSynRetrans TCPOrigDataSent TCPNobodyKnows
TcpExt: 0 5 311 2 503 97
IpExt: InNoRoutes
IpExt: 0
`;

describe('the counters of a network namespace', () => {
  it('are read by name, and are 0 where a kernel does not count them', () =>
    expect(parseTcp(snmp + netstat)).toEqual(
      counts({
        ...{ received: 30_011, sent: 30_013, sentAgain: 23, openingsSentAgain: 2, dataSent: 503, outOfOrder: 311 },
        ...{ resets: 3, resetsSent: 7, acknowledgementsLost: 5 },
      }),
    ));

  it.runIf(process.platform === 'linux')('are there for this process', () => {
    expect(readTimeouts()).toBeGreaterThanOrEqual(0);
    const found = readTcp();
    expect(found?.namespace).toMatch(/^[0-9a-f-]{36}\/net:\[\d+\]$/);
    expect(Object.keys(found?.counts ?? {})).toEqual(tcpNames);
  });

  it('are told between two readings of one namespace alone', () => {
    const at = (namespace: string, received: number) => ({ namespace, counts: counts({ received }) });
    expect(tcpBetween(at('a', 7), at('a', 18))).toEqual(at('a', 11));
    expect(tcpBetween(at('a', 7), at('b', 18))).toBeUndefined();
    expect(tcpBetween(undefined, at('b', 18))).toBeUndefined();
  });

  it('of shards in one namespace count once, of others add up', () => {
    const at = (namespace: string, received: number, sentAgain: number) => ({
      namespace,
      counts: counts({ received, sentAgain }),
    });
    expect(tcpTogether([at('a', 101, 3), at('a', 103, 5), at('b', 7, 2)])).toEqual(
      counts({ received: 110, sentAgain: 7 }),
    );
  });
});

describe('the share of deliveries that lost segments can have delayed', () => {
  it('is twice that of data sent again, and of segments out of order', () => {
    expect(lateShare(counts({ dataSent: 500, sentAgain: 5 }))).toBeCloseTo(0.02);
    expect(lateShare(counts({ received: 1000, outOfOrder: 7 }))).toBeCloseTo(0.014);
    expect(lateShare(counts({ dataSent: 500, sentAgain: 5, received: 1000, outOfOrder: 7 }))).toBeCloseTo(0.034);
    expect(lateShare(counts({ dataSent: 5, sentAgain: 7 }))).toBe(1);
    expect(lateShare(none)).toBe(0);
  });

  it('is not of segments that had arrived: they delay nothing, and a machine without an idle core sends many', () => {
    const spurious = counts({ dataSent: 52_800, sentAgain: 563, sentTwice: 563, timeouts: 7, received: 60_000 });
    expect([lateShare(spurious), tcpInWords(spurious)]).toEqual([0, '']);
    expect(segmentsLost(counts({ sentAgain: 11, sentTwice: 8 }))).toBe(3);
    expect(segmentsLost(counts({ sentAgain: 7, sentTwice: 8 }))).toBe(0);
  });

  it('is not of openings, of what a listening socket had no room for, of resets and of full receivers', () => {
    const others = {
      ...{ sentAgain: 7, openingsSentAgain: 7, listenDrops: 3, resets: 5, windowsClosed: 11, duplicatesOld: 2 },
    };
    expect(lateShare(counts({ dataSent: 500, received: 1000, ...others }))).toBe(0);
    expect(segmentsLost(counts({ sentAgain: 9, openingsSentAgain: 7 }))).toBe(2);
  });
});

it('full receivers are told where nothing was lost, too; resets of a namespace are not', () => {
  const said = tcpInWords(counts({ resets: 3, windowsClosed: 5, windowsProbed: 7, sentTwice: 11 }));
  expect(said).toEqual(naming(5, 7));
  expect(said).not.toMatch(/\b(3|11)\b/);
});

it('what was lost is told with the whole that it is part of, and nothing where nothing was', () => {
  const lost = {
    ...{ dataSent: 1503, sentAgain: 20, openingsSentAgain: 2, sentTwice: 11, outOfOrder: 3, received: 13, timeouts: 5 },
  };
  expect(tcpInWords(counts(lost))).toEqual(naming('7 of 1,503', '3 of 13', 2, 11, 5));
});
