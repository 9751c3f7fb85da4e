import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../test/golden.js';
import { valuesOf, type WorkerGiven, workerOnStage } from '../../test/stage/worker-on-stage.js';
import { connect, connectAudience, connectOptions } from './connect.js';
import type { Sums } from './scenario.js';
import { dueAtNs } from './traffic/schedule.js';

const footing = (): Sums & { counts: Record<string, number> } => ({
  counts: { asked: 211, started: 199, opened: 193, open: 190, failed: 6 },
  causes: { connect: { 'http-status:503': 5, reset: 1 }, close: { reset: 3 } },
  timeline: {},
  series: {},
});

describe('the ledger of connections made', () => {
  it('foots', async () => {
    const ledger = connect.ledger(footing());
    expect(ledger).toEqual({
      entries: {
        asked: 211,
        started: 199,
        opened: 193,
        notOpened: 18,
        failed: 6,
        lost: 3,
        failedByCause: { 'http-status:503': 5, reset: 1 },
        lostByCause: { reset: 3 },
      },
      breaks: [],
    });
    await expectGolden('ledger/connect.txt', { 'a whole run': ledgerText(connect.ledgerLines(ledger.entries)) });
  });

  it.each([
    ['started', 2],
    ['opened', 3],
    ['failed', 2],
    ['open', 1],
  ])('breaks when the count %s is off', (name, breaks) => {
    for (const off of [-1, 1]) {
      const sums = footing();
      sums.counts[name] = (sums.counts[name] as number) + off;
      expect(connect.ledger(sums).breaks).toHaveLength(breaks);
    }
  });
});

function connectOnStage(given: WorkerGiven & { ratePerSecond?: number; concurrency?: number } = {}) {
  const { clientCount = 101, ratePerSecond = 211, concurrency, ...more } = given;
  const connections = given.totalClients ?? clientCount;
  const worker = workerOnStage(
    connectOptions.parse({ clients: connections, ratePerSecond, concurrency, stallMs: 1009 }),
    {
      ...more,
      clientCount,
    },
  );
  const audience = connectAudience(worker.context);
  return { ...worker, audience, arrive: () => worker.play(audience, 'ramp') };
}

describe('an audience that connects', () => {
  it('arrives on an open schedule: a slow target delays nobody', async () => {
    const { arrive, opens } = connectOnStage({
      totalClients: 303,
      ratePerSecond: 633,
      welcome: () => ({ openAfterMs: 701 }),
    });
    await arrive();
    expect(opens).toHaveLength(101);
    for (const [client, atMs] of opens) {
      expect(atMs * 1e6).toBeGreaterThanOrEqual(dueAtNs(client, 211) - 1);
      expect(atMs * 1e6).toBeLessThanOrEqual(dueAtNs(client, 211) + 5e6 + 1);
    }
  });

  it('keeps so many under way as it is told, instead of a schedule', async () => {
    const { arrive, opens, audience } = connectOnStage({
      ratePerSecond: 1,
      concurrency: 7,
      welcome: () => ({ openAfterMs: 11, confirmAfterMs: 2 }),
    });
    await arrive();
    const { counts, samples } = audience.report();
    expect(counts).toMatchObject({ opened: 101 });
    // Without a schedule there is no rate that was wanted, nor an instant.
    expect(counts).not.toHaveProperty('offeredPerSecond');
    for (const name of ['handshakeFromIntended', 'connectLag']) expect(samples).not.toHaveProperty(name);
    for (const [client, atMs] of opens.slice(7)) {
      const [, before = 0] = opens[client - 7] ?? [];
      expect(atMs - before).toBeGreaterThanOrEqual(13);
      expect(atMs - before).toBeLessThanOrEqual(13 + 5);
    }
  });

  it('times every part of every one, and how many came in a second', async () => {
    const { arrive, audience } = connectOnStage({ welcome: () => ({ openAfterMs: 3, confirmAfterMs: 2 }) });
    await arrive();
    const { counts, samples, causes } = audience.report();
    const { handshakeFromIntended, connectLag, ...asTheyCame } = samples;
    expect(
      Object.entries(asTheyCame).map(([name, each]) => [name, new Set(valuesOf(each)), valuesOf(each).length]),
    ).toEqual([
      ['tcp', new Set([1000]), 101],
      ['connect', new Set([3000]), 101],
      ['subscribe', new Set([2000]), 101],
      ['handshake', new Set([5000]), 101],
      ['tcpAtLeast', new Set([1000]), 101],
      ['connectAtLeast', new Set([3000]), 101],
      ['subscribeAtLeast', new Set([2000]), 101],
      ['handshakeAtLeast', new Set([5000]), 101],
      ['tls', new Set([1500]), 101],
      ['tlsAtLeast', new Set([1250]), 101],
    ]);
    // The ramp looks every 5 ms: by as much the rig itself may be behind the schedule.
    const fromIntended = valuesOf(handshakeFromIntended);
    expect(fromIntended).toHaveLength(101);
    expect(fromIntended[0]).toBe(5000);
    expect(fromIntended.at(-1)).toBeLessThanOrEqual(10_000);
    expect(valuesOf(connectLag).map((us) => us + 5000)).toEqual(fromIntended);
    expect(counts.offeredPerSecond).toBeCloseTo(211, 6);
    expect((counts.achievedPerSecond ?? 0) / 211).toBeCloseTo(1, 1);
    expect(counts).toMatchObject({ asked: 101, started: 101, opened: 101, open: 101, subscribers: 101, failed: 0 });
    expect(counts.establishedPerSecond).toBeGreaterThan(211 * 0.97);
    expect(counts.establishedPerSecond).toBeLessThan(211 * 1.03);
    expect(causes).toEqual({ connect: {}, close: {} });
  });

  it('has no rate of arrivals that were all due, and so all made, at one instant', async () => {
    const { arrive, audience, context, clock } = connectOnStage({ clientCount: 3, ratePerSecond: 1e6 });
    // A real clock goes on between two looks at it.
    let looks = 0;
    context.nowNs = () => clock.nowNs() + looks++ * 11_000;
    await arrive();
    const { offeredPerSecond, achievedPerSecond } = audience.report().counts;
    expect([offeredPerSecond, achievedPerSecond]).toEqual([undefined, undefined]);
  });
});
