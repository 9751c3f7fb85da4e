import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumCounts } from '../measure/samples/sample-sum.js';
import { Checks, checksNotReached } from './checks.js';

describe('checks', () => {
  it('are counted by name, and tell the client', () => {
    const checks = new Checks();
    const client = checks.ofClient();
    expect([true, false, true].map((isKept) => client.check('history came', isKept))).toEqual([true, false, true]);
    client.check('joined', false);
    expect(checks.counts()).toEqual({
      ...{ checksKept: 2, checksBroken: 2, checkersEnded: 0 },
      ...{ 'kept:history came': 2, 'broken:history came': 1, 'reached:history came': 0 },
      ...{ 'kept:joined': 0, 'broken:joined': 1, 'reached:joined': 0 },
    });
  });

  it('beyond 100 names are one', () => {
    const checks = new Checks();
    const client = checks.ofClient();
    for (let name = 0; name < 1000; name++) client.check(`check ${name}`, true);
    const { 'kept:other': others, checksKept } = checks.counts();
    expect([others, checksKept, Object.keys(checks.counts()).length]).toEqual([900, 1000, 3 + 3 * 101]);
  });

  it('that clients did not reach add up over workers, however they are split', () => {
    const names = ['a', 'b', 'c'];
    const client = fc.subarray(names);
    fc.assert(
      fc.property(
        fc.array(client, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        (lives, workers) => {
          const all = Array.from({ length: workers }, () => new Checks());
          for (const [index, life] of lives.entries()) {
            const own = all[index % workers]!.ofClient();
            for (const name of life) own.check(name, index % 2 === 0);
            own.ended();
          }
          const reachedByAny = names.filter((name) => lives.some((life) => life.includes(name)));
          const missing = lives.flatMap((life) => reachedByAny.filter((name) => !life.includes(name)));
          expect(checksNotReached(sumCounts(all.map((checks) => checks.counts())))).toBe(missing.length);
        },
      ),
    );
  });
});
