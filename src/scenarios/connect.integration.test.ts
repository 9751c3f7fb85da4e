import { describe, expect, it } from 'vitest';
import { connectionsOf, recordOf } from '../../test/known-truth.js';
import { targetFlags } from '../../test/latency.js';
import { connect, made, parts, place } from '../../test/runs/connect.js';
import { exitOf, keptResult, voidedBy } from '../../test/workplace.js';

describe.concurrent('connections that are made', () => {
  it('on a schedule: every part of every one is timed', async () => {
    const ended = await connect(['--target', 'ws', '--clients', '101', '--rate', '211/s'], 2);
    const result = keptResult(ended);
    expect(result.ledger).toMatchObject({ ...made(101), failedByCause: {}, lostByCause: {} });
    expect(parts.map((name) => result.metrics[name]?.count)).toEqual([101, 101, 101, 101]);
    expect(result.stop).toEqual({ code: 'completed', evidence: [] });
    expect(voidedBy(result)).toEqual([]);
    const { handshake, tcp, connect: upgrade, subscribe } = result.metrics;
    // The upgrade holds the TCP connect, and the handshake holds both: in each client, so in every figure of all.
    expect(tcp?.max ?? 0).toBeLessThanOrEqual(upgrade?.max ?? 0);
    expect(upgrade?.max ?? 0).toBeLessThanOrEqual(handshake?.max ?? 0);
    expect((upgrade?.mean ?? 0) + (subscribe?.mean ?? 0)).toBeLessThanOrEqual((handshake?.mean ?? 0) + 0.001);
    // 100 intervals of the schedule at 211/s.
    const [stage] = result.shards[0]?.result?.stages ?? [];
    expect(stage?.durationMs).toBeGreaterThanOrEqual((100 / 211) * 1000 - 11);
  });

  it('are as many as a target of known truth says that it took', async () => {
    const target = await place.serve('servers/metronome/main.js', ['--refuse=0.3', '--seed=7']);
    const ended = await connect([...targetFlags(target), '--clients', '101', '--rate', '211/s']);
    const { ledger } = keptResult(ended);
    const { refusedConnections } = (await recordOf(target)).totals;
    expect(refusedConnections).toBeGreaterThan(0);
    expect(ledger).toMatchObject({
      ...{ asked: 101, opened: 101 - refusedConnections, failed: refusedConnections },
      failedByCause: { 'http-status:503': refusedConnections },
    });
    expect(await connectionsOf(target)).toHaveLength(101 - refusedConnections);
  });

  it('until the target refuses them, which is the finding', async () => {
    const target = await place.serve('servers/metronome/main.js', ['--take=61']);
    const ended = await connect([...targetFlags(target), '--clients', '101', '--rate', '211/s']);
    const result = keptResult(ended);
    const failedByCause = { 'http-status:503': 40 };
    expect(result.ledger).toMatchObject({ asked: 101, opened: 61, failed: 40, failedByCause });
    expect(result.stop.code).toBe('refused');
    expect(result.stop.evidence.join()).toContain('http-status:503 × 40');
    expect(result.metrics.handshake?.count).toBe(61);
    expect(voidedBy(result)).toEqual([]);
    expect(ended.code).toBe(exitOf(result));
  });
});
