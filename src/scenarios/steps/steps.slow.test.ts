import { describe, expect, it } from 'vitest';
import { areSpoilt, byStep, clean, endsAtLimit, run, sound, whole } from '../../../test/runs/steps.js';
import { exitOf, keptResult } from '../../../test/workplace.js';

describe.concurrent('steps of clients', () => {
  it.each([
    ['ws-shootout', 1, []],
    ['ws-shootout', 2, ['--client', 'library']],
    ['uws-shootout', 2, ['--workers', '2']],
    ['uws-shootout', 1, ['--target-processes', '2']],
    ['ws-shootout-cable', 2, []],
    ['ws-shootout-cable', 1, ['--client', 'library']],
    ['metronome-shootout', 7, []],
  ])('%s over %i shard(s) %j: every client gets every broadcast of its steps', async (target, shards, flags) => {
    const ended = await run(['--target', target, ...flags], shards);
    const result = sound(keptResult(ended));
    expect(result.stop).toEqual({ code: 'completed', evidence: [] });
    expect(result.ledger).toEqual({
      ...clean,
      sent: 33,
      answered: 33,
      expected: whole,
      delivered: whole,
      clients: byStep,
    });
    expect(ended.code).toBe(exitOf(result));
    expect(result.thresholds).toEqual(
      ['lost==0', 'unanswered==0', 'unsent==0'].map((text) => ({ text, kind: 'count', value: 0, isKept: true })),
    );
    // Whole broadcasts are timed only by the one shard that sends them and has all clients.
    if (shards === 1) expect(result.metrics.delivery?.count).toBe(whole);
  });

  it.each([1, 2])('an echo comes back to its sender alone, over %i shard(s)', async (shards) => {
    const ended = await run(['--target', 'ws-shootout', '--mode', 'echo'], shards);
    const result = sound(keptResult(ended));
    expect(result.ledger).toEqual({ ...clean, sent: 33, answered: 33, expected: 33, delivered: 33, clients: byStep });
  });

  it.each([1, 2])(
    'broadcasts that are missing are found to the last and set the exit code: %i shard(s)',
    async (shards) => {
      const flags = ['--target', 'metronome-shootout', '--target-option', 'drop=0.1', '--target-option', 'seed=7'];
      const ended = await run([...flags, '--drain', '5s'], shards);
      const result = sound(keptResult(ended));
      const { expected, lost = 0, answered } = result.ledger as Record<string, number>;
      expect([expected, answered]).toEqual([whole, 33]);
      expect(lost).toBeGreaterThan(0);
      expect(result.thresholds[0]).toEqual({ text: 'lost==0', kind: 'count', value: lost, isKept: false });
      expect(ended.code).toBe(result.verdict.rig === 'clean' ? 3 : 4);
    },
  );

  it('end after the one that breaks a limit, over one shard', () => endsAtLimit(1));

  it('are as spoilt as the metronome itself says, over two shards', () => areSpoilt(3));
});
