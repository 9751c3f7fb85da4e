import { describe, expect, it } from 'vitest';
import {
  broadcasts,
  expectNear,
  expectOfSleep,
  type Figures,
  frozenRun,
  latePublishes,
  measured,
  perSecond,
  predicted,
} from '../../test/runs/freeze.js';

describe.runIf(process.platform === 'linux')('a target that freezes', () => {
  it('shows in the latency from the intended instant, and hides in that from a publish that waits', async () => {
    const { result, leastMs, mostMs, addedMs } = await frozenRun(1);
    // Catching up one by one adds at most the time of every publish but the one that slept.
    const { publishAck, delivery } = result.metrics;
    const catchUpMs = ((publishAck?.mean ?? 0) * (publishAck?.count ?? 0) - (publishAck?.max ?? 0)) / 1000;
    const [least, most] = [predicted(leastMs, 1), predicted(mostMs, 0)];
    for (const [figure, found] of Object.entries(measured(result, 'deliveryFromIntended'))) {
      expect(found, figure).toBeGreaterThanOrEqual(least[figure as keyof Figures]);
      expect(found, figure).toBeLessThanOrEqual(
        most[figure as keyof Figures] + catchUpMs + (delivery?.p95 ?? 0) / 1000,
      );
    }
    // One publish alone was under way.
    const { max, ...rest } = measured(result, 'delivery');
    const expected = predicted(mostMs, 0.5);
    expectNear({ ...expected, max }, least, expected, addedMs);
    for (const figure of ['p90', 'p95'] as const) expect(rest[figure]).toBeLessThan(expected[figure] / 2);
    expect(latePublishes(result)).toBeGreaterThanOrEqual(Math.floor((leastMs * perSecond) / 1000) - 1);
  });

  it('shows in both latencies as the arithmetic predicts, while nothing holds a publish back', async () => {
    const { result, leastMs, mostMs, addedMs } = await frozenRun(broadcasts);
    // The first that fell due after the STOP came a period later at most.
    const least = predicted(leastMs, 1);
    expectOfSleep(measured(result, 'deliveryFromIntended'), least);
    // Where in a period the STOP came is not known.
    const most = predicted(mostMs, 0.5);
    expectNear(measured(result, 'deliveryFromIntended'), least, most, addedMs);
    // A bench-runner that had no core published late, and a latency from the publish is shorter by that.
    const lagMs = (result.metrics.publishLag?.max ?? Number.NaN) / 1000;
    expectNear(measured(result, 'delivery'), predicted(leastMs - lagMs, 1), most, addedMs);
    expect(latePublishes(result)).toBe(0);
  });
});
