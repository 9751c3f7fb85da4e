import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import { Checks, ClientChecks } from './checks.js';

describe('checks', () => {
  it('are counted by name, and tell the client', () => {
    const checks = new Checks();
    const client = new ClientChecks(checks);
    expect([true, false, true].map((isKept) => client.check('history came', isKept))).toEqual([true, false, true]);
    client.check('joined', false);
    client.ended();
    expect(checks.report()).toEqual({
      counts: { checks: 4, checksKept: 2, checksBroken: 2 },
      causes: {
        checkKept: { 'history came': 2, joined: 0 },
        checkBroken: { 'history came': 1, joined: 1 },
        checkReached: { 'history came': 1, joined: 1 },
      },
    });
  });

  it('beyond 100 names are one', () => {
    const checks = new Checks();
    const client = new ClientChecks(checks);
    for (let name = 0; name < 1000; name++) client.check(`check ${name}`, true);
    const { counts, causes } = checks.report();
    expect([causes.checkKept.other, counts.checksKept, Object.keys(causes.checkKept).length]).toEqual([900, 1000, 101]);
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
            const own = new ClientChecks(all[index % workers]!);
            for (const name of life) own.check(name, index % 2 === 0);
            own.ended();
          }
          const reachedByAny = names.filter((name) => lives.some((life) => life.includes(name)));
          const missing = lives.flatMap((life) => reachedByAny.filter((name) => !life.includes(name)));
          const reached = sumCounts(all.map((checks) => checks.report().causes.checkReached));
          const notReached = Object.values(reached).reduce((sum, clients) => sum + lives.length - clients, 0);
          expect(notReached).toBe(missing.length);
        },
      ),
    );
  });
});
