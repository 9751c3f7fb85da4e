import { describe, expect, it } from 'vitest';
import {
  broadcasts,
  expectNear,
  expectOfSleep,
  frozenRun,
  latePublishes,
  measured,
  predicted,
} from '../../test/runs/freeze.js';

describe.runIf(process.platform === 'linux')('a target that freezes', () => {
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
