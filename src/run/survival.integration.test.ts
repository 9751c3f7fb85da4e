import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../test/latency.js';
import { interrupted, isTarget, midRun, pidOf, start } from '../../test/runs/survival.js';

describe.runIf(process.platform === 'linux')('what a run survives', { concurrent: true }, () => {
  it('its target is killed', async () => {
    const driver = start(latencyFlags(31, 997));
    await midRun(driver);
    process.kill(pidOf(driver, isTarget), 'SIGKILL');
    const ended = await driver.ended;
    expect(ended.code).toBe(4);
    const { stop, ledger, shards, verdict } = soundResult(ended);
    expect(stop).toEqual({ code: 'targetGone', evidence: expect.arrayContaining([expect.any(String)]) });
    expect(shards).toMatchObject([{ state: 'partial' }]);
    expect(ledger.delivered).toBeGreaterThan(0);
    expect(verdict.rig).toBe('void');
    expect(driver.family()).toEqual([]);
  });

  it('Ctrl-C in the publishing: the figures hold for what was published, and nothing is left', () =>
    interrupted('publishing'));
});
