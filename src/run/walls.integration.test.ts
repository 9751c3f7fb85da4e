import { describe, expect, it } from 'vitest';
import { capacityBooks, heldResult, idleFlags } from '../../test/capacity.js';
import { targetFlags } from '../../test/latency.js';
import { connectFlags, place, standIn, stoppedBy } from '../../test/runs/wall.js';
import { keptResult, voidedBy } from '../../test/workplace.js';

describe.runIf(process.platform === 'linux')('a wall that was seen in the target', () => {
  it('is its memory, at the limit that it was given', async () => {
    const limit = ['--target-memory', '61mib', '--connect-timeout', '5003ms'];
    const ended = await standIn(['--keep=1mib', '--take=61', '--wall=mute'], ['idle', ...idleFlags(101, limit)]);
    const result = heldResult(ended);
    const { evidence } = stoppedBy('memoryWall', result);
    expect(evidence).toEqual([
      '101 asked, 61 opened, 61 held',
      'not opened: connect-timeout × 40',
      expect.stringMatching(/^memory of the target was [\d.]+ MB of 64 MB at /),
    ]);
    expect(capacityBooks(result)).toMatchObject({ peak: 61, held: 61, proven: 61, lost: 0 });
    expect(voidedBy(result)).toEqual([]);
  });
});

describe('a wall that is not the target’s', () => {
  it('is one at which all shards stop at one count', async () => {
    const one = ['--local-shards', '2', '--workers', '1', '--concurrency', '1', '--rate', '1009/s'];
    const result = keptResult(await standIn(['--together=2', '--take=62', '--wall=mute'], connectFlags(101, one)));
    const { evidence } = stoppedBy('uniformCeiling', result);
    expect(evidence).toEqual(['101 asked, 62 opened, 62 held', 'not opened: connect-timeout × 2']);
    expect(result.shards.map(({ result: part }) => part?.counts.opened)).toEqual([31, 31]);
    expect(result.verdict.rig).toBe('void');
    expect(result.verdict.evidence).toContainEqual({
      rule: 'uniform-ceiling',
      level: 'limited',
      text: 'each of 2 shards stopped at exactly 31 clients',
    });
  });
});

describe('a target that takes nobody', () => {
  it('is not held for the time of a hold', async () => {
    const target = await place.serve('servers/metronome/main.js', ['--take=0', '--wall=close']);
    const flags = idleFlags(53, ['--settle', '10m', '--hold', '30m', '--local-shards', '2']);
    const result = heldResult(await place.run(['run', 'idle', ...targetFlags(target), ...flags]));
    const { evidence } = stoppedBy('refused', result);
    expect(evidence).toEqual(['53 asked, 0 opened, 0 held', 'not opened: close-code:1013 × 53']);
    expect(result.verdict.evidence.map(({ rule }) => rule)).toContain('nothing-connected');
    expect(result.environment.elapsedMs).toBeLessThan(600_000);
  });
});
