import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { logNormalLatencies, SimulatedFleet, simulatedJob } from '../../../test/doubles/simulated-fleet.js';
import { keptResult, voidedBy, workplace } from '../../../test/workplace.js';
import { pollPauseMs } from './member.js';

const place = workplace();
const [shards, subscribersEach, broadcastsEach] = [200, 10_000, 100];
const metrics = ['delivery', 'deliveryFromIntended', 'deliveryAtLeast'];
const plan = { shards, subscribersEach, broadcastsEach, metrics, publishMs: 7000, otherMs: 500 };
const samplesEach = subscribersEach * broadcastsEach;
const bodiesEach = 10;

const fleet = await SimulatedFleet.start(plan);
afterAll(() => fleet.stop());

/** The most memory that a process had; undefined if it has ended. Linux only. */
function peakBytesOf(pid: number): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}

it.runIf(process.platform === 'linux')(
  'one driver holds 200 shards, and merges a million samples of each',
  async () => {
    const startMs = performance.now();
    const driver = place.ringside(simulatedJob(plan), { SHARDS: fleet.addresses });
    let peakBytes = 0;
    const look = setInterval(() => {
      peakBytes = peakBytesOf(driver.pid) ?? peakBytes;
    }, 101);
    const ended = await driver.ended.finally(() => clearInterval(look));
    const elapsedMs = performance.now() - startMs;
    const result = keptResult(ended);

    const broadcasts = shards * broadcastsEach;
    const deliveries = broadcasts * shards * subscribersEach;
    expect(result.ledger).toMatchObject({ attempted: broadcasts, acked: broadcasts, expected: deliveries, lost: 0 });
    expect(result.ledger.delivered).toBe(deliveries);
    expect([result.stop.code, voidedBy(result)]).toEqual(['completed', []]);
    expect(new Set(result.shards.map(({ state }) => state))).toEqual(new Set(['complete']));
    for (const metric of metrics) {
      expect(result.metrics[metric]).toMatchObject({ count: shards * samplesEach });
      expect(result.samples[metric]).toMatchObject({ kind: 'raw', count: shards * samplesEach });
    }

    expect(peakBytes).toBeGreaterThan(0);
    expect(peakBytes).toBeLessThan(1e9);
    // A busy machine may cut an answer. No shard is polled more often than the pause between two polls allows.
    const { statuses, bodies } = fleet.asked;
    expect(bodies).toBeGreaterThanOrEqual(shards * bodiesEach);
    expect(statuses).toBeLessThan(shards * (elapsedMs / pollPauseMs(shards) + 7));
    expect(fleet.shards.every((shard) => shard.isCollected)).toBe(true);

    // By counting in what the shards sent: seven bodies, dealt in turn.
    const sent = Array.from({ length: 7 }, (_, seed) => logNormalLatencies(samplesEach, seed));
    const upTo = (isUpTo: (us: number) => boolean): number =>
      sent.reduce((sum, values, seed) => sum + values.filter(isUpTo).length * Math.ceil((shards - seed) / 7), 0);
    for (const [figure, share] of Object.entries({ p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999 })) {
      const value = Number(result.metrics.delivery?.[figure as 'p50']);
      const rank = Math.ceil(shards * samplesEach * share);
      expect([figure, upTo((us) => us < value) < rank, upTo((us) => us <= value) >= rank]).toEqual([
        figure,
        true,
        true,
      ]);
    }
  },
);
