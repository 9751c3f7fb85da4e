import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../test/latency.js';
import { interrupted, isTarget, pidOf, quits, start } from '../../test/runs/survival.js';

describe.runIf(process.platform === 'linux')('what a run survives', { concurrent: true }, () => {
  it('its target freezes for a second: nothing is lost, and the intended latency shows it', async () => {
    const [broadcasts, perSecond, frozenMs] = [211, 50, 1000];
    const driver = start(latencyFlags(31, broadcasts));
    await driver.said('stderr', / publish /);
    await delay(503);
    const target = pidOf(driver, isTarget);
    process.kill(target, 'SIGSTOP');
    await delay(frozenMs + 7);
    process.kill(target, 'SIGCONT');
    const ended = await driver.ended;
    const { stop, ledger, metrics } = soundResult(ended);
    expect(stop.code).toBe('completed');
    expect(ledger).toMatchObject({ acked: broadcasts, delivered: 31 * broadcasts, lost: 0 });
    // The slowest twentieth, and one more, were due early in the freeze and waited for the rest of it.
    const slowest = Math.ceil(broadcasts / 20) + 1;
    const leastMs = frozenMs - (slowest * 1000) / perSecond;
    expect(metrics.deliveryFromIntended?.p95).toBeGreaterThanOrEqual(leastMs * 1000);
    expect(metrics.deliveryFromIntended?.max).toBeGreaterThanOrEqual((frozenMs - 1000 / perSecond) * 1000);
  });

  it('Ctrl-C in the ramp: the partial result is kept and nothing is left', () => interrupted('ramp'));

  it('a second Ctrl-C: what it started ends by itself', () => quits('a second Ctrl-C'));
});
