import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { naming } from '../../../test/refusal.js';
import { sendersOnStage } from '../../../test/stage/senders.js';
import { echo, echoLedger } from '../echo.js';
import { loadOptions } from '../load-options.js';

const sums = (counts: Record<string, number>) => ({
  ...{ counts, causes: { unsent: { gone: 4, unread: 3 } }, series: {}, timeline: {} },
  longestMs: { arrivals: 8613 },
});

const footing = { attempted: 101, unsent: 7, answered: 97, unanswered: 4, late: 3 };

describe('the ledger of echoes', () => {
  it('foots', async () => {
    const { entries, breaks } = echoLedger.ledger(sums(footing));
    expect(breaks).toEqual([]);
    await expectGolden('ledger/echo.txt', { 'a whole run': ledgerText(echoLedger.ledgerLines(entries)) });
    expect(echoLedger.ledger({ ...sums({}), causes: {} }).breaks).toEqual([]);
  });

  it.each(['attempted', 'answered', 'unanswered', 'unsent'] as const)('breaks when %s is off by one', (name) => {
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

  it('has a client for each visit, whom no gate awaits, and what visitors send at most', () => {
    const options = echo.options.parse({ clients: 7, stages: '2s:4,2s:0', durationMs: 5000, ratePerSecond: 3 });
    // The four come at 250, 750, … and go at 2250, 2750, …, who came last first: 250 to 3750 ms, and so on.
    const visitedMs = 3500 + 2500 + 1500 + 500;
    expect(echo.demand(options, loadOptions.parse({}))).toMatchObject({
      clients: 11,
      sends: { perSecond: 33, deliveriesPerSecond: 33 },
    });
    expect(echo.arriving?.(options)).toBe(4);
    expect(echo.independentAtMost(options)).toMatchObject({
      roundTrip: 7 * 15 + (3 * visitedMs) / 1000 + 4,
      arrival: 4,
      connect: 7,
    });
  });

  it('is refused where stages last longer than its sends, and in a paired comparison', () => {
    const refused = (given: object) => echo.contradictions?.(echo.options.parse({ stages: '7s:3', ...given }));
    expect(refused({ durationMs: 7000 })).toEqual([]);
    expect(refused({ durationMs: 6400 })).toEqual([naming('--stages', '--duration', '7s')]);
    expect(refused({ durationMs: 6000, warmUp: 1 })).toEqual([]);
    expect(refused({ durationMs: 6999, loop: 'closed' })).toEqual([naming('--stages', '--duration', '7s')]);
    expect(echo.slots?.contradictions?.(echo.options.parse({ stages: '7s:3' }))).toHaveLength(1);
  });

  it('names every distribution that a worker records, and the figure of those that are ready', async () => {
    const { roles } = await sendersOnStage(echo, { clientCount: 10, options: { clients: 7, stages: '100ms:3' } });
    expect(roles[0]!.progress()).toHaveProperty('subscribers');
    const { samples, counts } = roles[0]!.report();
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
