import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { audienceOnStage } from '../../../test/stage/echo.js';
import { loadOptions } from '../load-options.js';
import { echo } from './index.js';
import { echoLedger } from './ledger.js';

const sums = (counts: Record<string, number>) => ({
  ...{ counts, causes: { unsent: { gone: 4, unread: 3 } }, series: {}, timeline: {} },
  longestMs: { answers: 8613 },
});
const footing = { attempted: 101, unsent: 7, received: 97, missing: 4, late: 3 };

describe('the ledger of echoes', () => {
  it('foots', async () => {
    const { entries, breaks } = echoLedger.ledger(sums(footing));
    expect(breaks).toEqual([]);
    await expectGolden('ledger/echo.txt', { 'a whole run': ledgerText(echoLedger.ledgerLines(entries)) });
    expect(echoLedger.ledger({ ...sums({}), causes: {} }).breaks).toEqual([]);
  });

  it.each(['attempted', 'received', 'missing', 'unsent'] as const)('breaks when %s is off by one', (name) => {
    for (const off of [-1, 1]) {
      expect(echoLedger.ledger(sums({ ...footing, [name]: footing[name] + off })).breaks).toHaveLength(1);
    }
  });
});

describe('the declaration of the echo scenario', () => {
  it('demands the ramp, the schedule and the drain', () => {
    const options = echo.options.parse({ clients: 1009, rampRatePerSecond: 250, durationMs: 7001, drainMs: 1999 });
    expect(echo.demand(options, loadOptions.parse({}))).toMatchObject({
      clients: 1009,
      publishesPerSecond: 0,
      durationMs: 4036 + 7001 + 1999,
    });
  });

  it('counts the warm-up as part of its schedule, and knows none in a closed loop', () => {
    const of = (given: object) => echo.options.parse({ ratePerSecond: 2, durationMs: 7000, warmUp: 3, ...given });
    const [without, whole] = [of({ warmUp: 0 }), of({})].map((options) => echo.demand(options, loadOptions.parse({})));
    expect(whole!.durationMs - without!.durationMs).toBe(1500);
    expect([echo.contradictions?.(of({})), echo.contradictions?.(of({ loop: 'closed', warmUp: 0 }))]).toEqual([[], []]);
    expect(echo.contradictions?.(of({ loop: 'closed' }))).toHaveLength(1);
  });

  it('names every distribution that a worker records, and the figure of those that are ready', async () => {
    const { audience } = audienceOnStage();
    expect(audience.progress()).toHaveProperty('subscribers');
    const { samples, counts } = audience.report();
    expect(Object.keys(samples).sort()).toEqual(Object.keys(echo.metrics).sort());
    expect(counts).toHaveProperty('subscribers');
  });

  it('publishes nothing', async () => {
    const publisher = await echo.publisher({} as never);
    await publisher.stage('echo', 0, new AbortController().signal);
    expect([publisher.progress(), publisher.report().counts]).toEqual([{}, {}]);
    publisher.dispose?.();
  });
});
