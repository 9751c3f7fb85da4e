import { describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { deploy } from './index.js';
import { deployOptions } from './options.js';

const { disruption, demand } = deploy;
const options = (given: Record<string, unknown> = {}) => deployOptions.parse(given);

describe('the deploy', () => {
  it('publishes on one schedule from its warm-up to its end', () => {
    const given = options({ subscribers: 211, rampRatePerSecond: 100, drainMs: 3000 });
    expect(demand(given, {} as never)).toMatchObject({
      clients: 211,
      broadcasts: 64,
      durationMs: 2110 + 32_000 + 6000,
    });
  });

  it('is refused where its broadcasts are over before the order', () => {
    const refusal = naming('--broadcasts:', 11, '--before 5s', '--rate 2/s', 10);
    expect(deploy.contradictions?.(options({ broadcasts: 10 }))).toEqual([refusal]);
    expect(deploy.contradictions?.(options({ broadcasts: 11 }))).toEqual([]);
  });

  it('has something redeployed at a gate of one of its stages', () => {
    expect(deploy.stages.map(({ gate }) => gate)).toContain(disruption?.gate);
    expect(disruption?.signal(options())).toBe('SIGTERM');
    expect(disruption?.signal(options({ endedBy: 'kill' }))).toBe('SIGKILL');
  });

  const standalone = { application: 'standalone' };
  it.each([
    // Ours in front of the target: its process numbers.
    [{ opened: 211, applicationProcesses: 3, replacedProcesses: 3, redeployMs: 97 }, standalone, undefined],
    [{ opened: 211, applicationProcesses: 3, replacedProcesses: 2 }, standalone, naming('of 3', 'application', '2')],
    // In the target: the cuts of its clients.
    [{ opened: 211, cut: 211, replacedTargets: 1 }, {}, undefined],
    [{ opened: 211, cut: 2 }, {}, naming('of 211', '2')],
    [{ opened: 211, cut: 3 }, {}, undefined],
    [{ opened: 211, cut: 7, cutsBefore: 7, unpublishedAfter: 5 }, {}, naming('of 211', '0')],
    // Somebody's in front of the target: publishes that found nobody.
    [{ opened: 211, unpublishedAfter: 1 }, standalone, undefined],
    [{ opened: 211, unpublishedAfter: 0 }, standalone, naming('of 211', '0')],
  ] as const)('is known by what can not lie: %j %j', (counts, given, expected) => {
    expect(disruption?.failed({ dueAfter: 50, ...counts }, options(given))).toEqual(
      expected && { code: 'noRestart', evidence: expected },
    );
  });

  it('is none where broadcasts ended before it was over: they show nothing of what came after', () => {
    const counts = { opened: 211, cut: 211, dueAfter: 49, redeployMs: 24_499 };
    expect(disruption?.failed(counts, options({}))).toBeUndefined();
    expect(disruption?.failed({ ...counts, redeployMs: 24_500 }, options({}))).toEqual({
      code: 'restartOutlasted',
      evidence: naming('24,500 ms', '--broadcasts'),
    });
  });
});
