import { describe, expect, it } from 'vitest';
import { broadcasts, expectOfSleep, frozenRun, latePublishes, measured, predicted } from '../../test/runs/freeze.js';

describe.runIf(process.platform === 'linux')('a target that freezes', () => {
  it('shows in both latencies as the arithmetic predicts, while nothing holds a publish back', async () => {
    const { result, leastMs } = await frozenRun(broadcasts);
    // The first that fell due after the STOP came a period later at most.
    const least = predicted(leastMs, 1);
    expectOfSleep(measured(result, 'deliveryFromIntended'), least);
    expect(measured(result, 'delivery').max).toBeGreaterThan(least.max / 2);
    expect(latePublishes(result)).toBe(0);
  });
});
