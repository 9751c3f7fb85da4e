import { describe, expect, it } from 'vitest';
import { capacityBooks, heldResult, idleFlags } from '../../test/capacity.js';
import { targetFlags } from '../../test/latency.js';
import { connectFlags, place, standIn, stoppedBy } from '../../test/runs/wall.js';
import { keptResult, voidedBy } from '../../test/workplace.js';

describe.runIf(process.platform === 'linux').concurrent('a wall that was seen in the target', () => {
  it('is its memory, at the limit that it was given', async () => {
    const limit = ['--target-memory', '61mib', '--connect-timeout', '5003ms'];
    const ended = await standIn(['--keep=1mib', '--take=61', '--wall=mute'], ['idle', ...idleFlags(101, limit)]);
    const result = heldResult(ended);
    const { evidence } = stoppedBy('memoryWall', result);
    expect(evidence).toEqual([
      expect.stringMatching(/\b101\b.*\b61\b.*\b61\b/),
      expect.stringContaining('connect-timeout × 40'),
      expect.stringMatching(/\b64 MB\b/),
    ]);
    expect(capacityBooks(result)).toMatchObject({ peak: 61, held: 61, proven: 61, lost: 0 });
    expect(voidedBy(result)).toEqual([]);
  });
});

describe.concurrent('a wall that is not the target’s', () => {
  it('is one at which all shards stop at one count', async () => {
    // A stall of one second would end the ramp on a busy machine; however long, one ends it before others start.
    const one = ['--workers', '1', '--concurrency', '1', '--rate', '1009/s', '--stall', '7s'];
    const result = keptResult(await standIn(['--together=2', '--take=62', '--wall=mute'], connectFlags(101, one), 2));
    expect(stoppedBy('uniformCeiling', result).evidence).toEqual([
      expect.stringMatching(/\b101\b.*\b62\b.*\b62\b/),
      expect.stringContaining('connect-timeout × 2'),
    ]);
    expect(result.ledger).toMatchObject({ asked: 101, started: 64, opened: 62, failed: 2, lost: 0 });
    expect(result.ledger.failedByCause).toEqual({ 'connect-timeout': 2 });
    expect(result.shards.map(({ result: part }) => part?.counts.opened)).toEqual([31, 31]);
    expect(result.verdict.rig).toBe('void');
    const ceiling = { rule: 'uniform-ceiling', level: 'limited', text: expect.stringMatching(/\b31\b/) };
    expect(result.verdict.evidence).toContainEqual(ceiling);
  });
});

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
