import { describe, expect, it } from 'vitest';
import { clean, endsAtLimit, openTo, place, run, sound } from '../../../test/runs/steps.js';
import { keptResult } from '../../../test/workplace.js';

describe.concurrent('steps of clients', () => {
  it('end after the one that breaks a limit, over 2 shards', () => endsAtLimit(2));

  it('that a target takes no more clients for end with those that it took, and what was measured stands', async () => {
    const target = await place.serve('servers/metronome/main.js', ['--protocol=shootout']);
    const port = await openTo(7, target.port);
    const ended = await run(['--target-url', `ws://127.0.0.1:${port}/shootout`, '--protocol', 'shootout']);
    const result = sound(keptResult(ended));
    expect(result.stop.code).toBe('clientsShort');
    expect(result.stop.evidence[0]).toMatch(/\b2\b.*\b14\b.*\b7\b/);
    const failed = [...result.stop.evidence.join().matchAll(/(reset|end-of-stream) × (\d+)/g)];
    expect(failed.reduce((sum, [, , many]) => sum + Number(many), 0)).toBe(7);
    expect(result.ledger).toEqual({
      ...clean,
      ...{ sent: 11, answered: 11, expected: 77, delivered: 77, clients: { 1: 7 } },
    });
  });
});
