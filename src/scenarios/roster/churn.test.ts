import { describe, expect, it } from 'vitest';
import { broadcasts, visitedOnStage } from '../../../test/stage/visits.js';
import { arrivingBeside, latency, latencyOptions } from '../latency.js';
import { replacedAtMs, replacedIn, visitsOfChurn } from './stages.js';

const churn = { perSecond: 2, scheduleMs: 4100 };

describe('a churn', () => {
  it('replaces so many as its rate makes in the schedule, the first to come first', () => {
    expect(replacedIn(churn)).toBe(8);
    expect([0, 7, 8].map((n) => replacedAtMs(n, churn))).toEqual([250, 3750, Number.POSITIVE_INFINITY]);
    const visits = visitsOfChurn(churn, 7);
    expect(visits).toHaveLength(8);
    expect(visits[0]).toEqual({ fromMs: 250, toMs: 3750 });
    expect(visits[1]).toEqual({ fromMs: 750, toMs: Number.POSITIVE_INFINITY });
  });

  it('counts those that arrive among the clients of the run', () => {
    const options = latencyOptions.parse({
      churnPerSecond: 2,
      broadcasts: 41,
      warmUp: 0,
      ratePerSecond: 10,
      clients: 7,
    });
    expect(arrivingBeside(options)).toBe(8);
    expect(latency.demand(options, undefined as never).clients).toBe(15);
  });

  it.each([
    [{ churnPerSecond: 2, stages: '1s:7' }, ['--churn: expected no --stages beside it, received both']],
    [
      { churnPerSecond: 50_000, broadcasts: 10_000 },
      ['--churn: expected at most 1,000,000 replacements, received 25,025,000'],
    ],
    [{ churnPerSecond: 2 }, []],
  ])('is refused: %o', (given, refused) =>
    expect(latency.contradictions?.(latencyOptions.parse({ broadcasts: 500, ...given }))).toEqual(refused),
  );
});

describe('clients that are replaced', () => {
  const comings = { clients: 7, churnPerSecond: 2 };
  const replaced = { visits: 15, visitsEnded: 8, visitsStayed: 7, visitsCut: 0, visitsFailed: 0, visitsUnready: 0 };

  it('keep their number, and each is owed what is sent while it is there', async () => {
    const { played, drops } = visitedOnStage({ comings, clientCount: 15 });
    const { report, ledger } = await played();
    const expected = 7 * broadcasts;
    expect(ledger.breaks).toEqual([]);
    expect(ledger.entries).toMatchObject({ ...replaced, expected, delivered: expected, lost: 0 });
    expect(report.counts).toMatchObject({ opened: 7, open: 0, subscribers: 15 });
    expect(drops).toHaveLength(8);
    // All seven of the ramp leave, then the first of those that came.
    expect(drops.slice(0, 7).sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map((client) => `${client} close`));
  });

  it('are lost what does not come within a drain after their time', async () => {
    // Client 0 leaves first, at 250 ms.
    const isDropped = (client: number, sequence: number): boolean => client === 0 && sequence === 2;
    const { played } = visitedOnStage({ comings, clientCount: 15, isDropped });
    const { ledger } = await played();
    expect(ledger.breaks).toEqual([]);
    expect(ledger.entries).toMatchObject({ ...replaced, expected: 7 * broadcasts, lost: 1 });
  });

  it('count as cut where the target ends them before', async () => {
    const { played, told } = visitedOnStage({ comings, clientCount: 15 });
    const { ledger } = await played((at) => at(40, () => told().closed(6, 'close-code:1001', true)));
    expect(ledger.breaks).toEqual([]);
    expect(ledger.entries).toMatchObject({ ...replaced, visitsEnded: 7, visitsCut: 1 });
  });
});
