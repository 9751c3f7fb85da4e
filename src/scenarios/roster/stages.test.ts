import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { broadcasts, visitedOnStage } from '../../../test/stage/visits.js';
import { shareOf, shareStart } from '../../measure/share.js';
import { arrivingBeside, latency, latencyOptions } from '../latency.js';
import {
  lengthMs,
  parseStages,
  replacedAtMs,
  replacedIn,
  shareVisits,
  type VisitStage,
  visitCount,
  visitsOf,
  visitsOfChurn,
} from './stages.js';

const there = (stages: readonly VisitStage[], atMs: number): number =>
  visitsOf(stages).filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs).length;

describe('the text of stages', () => {
  it('is durations with the clients at their ends', () => {
    expect(parseStages('50s:250,1m50s:250, 10s:1k')).toEqual([
      { durationMs: 50_000, clients: 250 },
      { durationMs: 110_000, clients: 250 },
      { durationMs: 10_000, clients: 1000 },
    ]);
    expect(parseStages('0s:7')).toEqual([{ durationMs: 0, clients: 7 }]);
  });

  it.each(['', '50s', '50:250', '50s:', ':7', '50s:1.5', '50s:7,', '50s:7:7', '50s:-7', '50s:0', '25h:7', '1s:2m'])(
    'is not %j',
    (text) => expect(parseStages(text)).toBeUndefined(),
  );
});

describe('visits', () => {
  it('begin evenly as the number rises, and end as it falls: who came last leaves first', () => {
    const stages = parseStages('10s:5,2s:5,4s:3,1s:4') ?? [];
    expect(visitsOf(stages)).toEqual([
      { fromMs: 1000, toMs: Number.POSITIVE_INFINITY },
      { fromMs: 3000, toMs: Number.POSITIVE_INFINITY },
      { fromMs: 5000, toMs: Number.POSITIVE_INFINITY },
      { fromMs: 7000, toMs: 15_000 },
      { fromMs: 9000, toMs: 13_000 },
      { fromMs: 16_500, toMs: Number.POSITIVE_INFINITY },
    ]);
    expect([visitCount(stages), lengthMs(stages)]).toEqual([6, 17_000]);
  });

  it('are as many together at the end of each stage as it says, and as many in all as rises bring', () => {
    const stage = fc.record({ durationMs: fc.integer({ min: 0, max: 997 }), clients: fc.integer({ min: 0, max: 53 }) });
    fc.assert(
      fc.property(fc.array(stage, { minLength: 1, maxLength: 11 }), (stages) => {
        expect(visitsOf(stages)).toHaveLength(visitCount(stages));
        stages.forEach((each, n) => {
          // Behind an end, a stage without length has changed the number already.
          if (stages[n + 1]?.durationMs === 0) return;
          expect(there(stages, lengthMs(stages.slice(0, n + 1)))).toBe(each.clients);
        });
      }),
    );
  });

  it('lie in the order of their arrivals', () => {
    const visits = visitsOf(parseStages('3s:11,2s:2,3s:13') ?? []);
    const arrivals = visits.map(({ fromMs }) => fromMs);
    expect(arrivals).toEqual([...arrivals].sort((a, b) => a - b));
  });
});

const dealt = (totalClients: number, visits: number, of: number) =>
  Array.from({ length: of }, (_, index) => {
    const clientCount = shareOf(totalClients, index, of);
    return {
      clientCount,
      ...shareVisits({ firstClient: shareStart(totalClients, index, of), clientCount, totalClients }, visits),
    };
  });

it('every visit is dealt once, whatever the number of workers; everybody else stays', () => {
  fc.assert(
    fc.property(fc.nat(997), fc.nat(997), fc.constantFrom(1, 2, 7, 13), (staying, visits, of) => {
      const parts = dealt(staying + visits, visits, of);
      expect(parts.reduce((sum, each) => sum + each.staying, 0)).toBe(staying);
      expect(parts.every((each) => each.staying + each.visits.length === each.clientCount)).toBe(true);
      const numbers = parts.flatMap((each) => each.visits).sort((a, b) => a - b);
      expect(numbers).toEqual(Array.from({ length: visits }, (_, n) => n));
    }),
  );
});

it('every worker has its share of the visitors that are there together', () => {
  for (const soFar of [53, 211, 503]) {
    const counts = dealt(1009, 997, 7).map(({ visits }) => visits.filter((visit) => visit < soFar).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(4);
  }
});

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
