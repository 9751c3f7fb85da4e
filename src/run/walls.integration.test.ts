import { describe, expect, it } from 'vitest';
import { heldResult, idleFlags } from '../../test/capacity.js';
import { targetFlags } from '../../test/latency.js';
import { place, stoppedBy } from '../../test/runs/wall.js';

describe.concurrent('a target that takes nobody', () => {
  it('is not held for the time of a hold', async () => {
    const target = await place.serve('servers/metronome/main.js', ['--take=0', '--wall=close']);
    const flags = idleFlags(53, ['--settle', '10m', '--duration', '30m']);
    const result = heldResult(await place.measure(['run', 'idle', ...targetFlags(target), ...flags], 2));
    expect(stoppedBy('refused', result).evidence).toEqual([
      expect.stringMatching(/\b53\b.*\b0\b.*\b0\b/),
      expect.stringContaining('close-code:1013 × 53'),
    ]);
    expect(result.verdict.evidence.map(({ rule }) => rule)).toContain('nothing-connected');
    expect(result.environment.elapsedMs).toBeLessThan(600_000);
  });
});
