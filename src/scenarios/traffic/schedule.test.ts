import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { plannedRun } from '../../../test/planned.js';
import { naming } from '../../../test/refusal.js';
import type { ProblemError } from '../../contract/problems.js';
import { shareOf, shareStart } from '../../measure/share.js';
import { arrivingBeside, latency, latencyOptions } from '../latency.js';
import { throughput } from '../throughput/index.js';
import {
  dueAtNs,
  dueCount,
  dueInStages,
  lastsMs,
  lengthMs,
  loadOfStages,
  parseRateStages,
  parseStages,
  replacedAtMs,
  replacedIn,
  shareVisits,
  type VisitStage,
  visitCount,
  visitsOf,
  visitsOfChurn,
} from './schedule.js';

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

const rates = fc.double({ min: 0.001, max: 1e6, noNaN: true });
const totals = fc.integer({ min: 1, max: 1_000_003 });
const elapsed = fc.double({ min: -1e9, max: 1e14, noNaN: true });

describe('an even schedule', () => {
  it('has its first at once and the others one interval apart', () => {
    expect([0, 1, 2, 7].map((n) => dueAtNs(n, 5))).toEqual([0, 200e6, 400e6, 1400e6]);
    expect([-1, 0, 199_999_999, 200e6, 600e6, 1e12].map((at) => dueCount(at, 7, 5))).toEqual([0, 1, 1, 2, 4, 7]);
  });

  it('lasts until one more would be due', () => {
    expect([0, 1, 7, 1009].map((events) => lastsMs(events, 4))).toEqual([0, 250, 1750, 252_250]);
    expect(lastsMs(7, 3)).toBeCloseTo(dueAtNs(7, 3) / 1e6, 9);
  });

  it('counts as due exactly those whose instant has come', () => {
    fc.assert(
      fc.property(elapsed, totals, rates, (atNs, total, rate) => {
        const due = dueCount(atNs, total, rate);
        expect(due).toBeGreaterThanOrEqual(0);
        expect(due).toBeLessThanOrEqual(total);
        if (due > 0) expect(dueAtNs(due - 1, rate)).toBeLessThanOrEqual(atNs);
        if (due < total) expect(dueAtNs(due, rate)).toBeGreaterThan(atNs);
      }),
    );
  });

  it('counts n + 1 at the instant of number n', () => {
    // The product of this instant and its rate rounds to just below the whole number.
    expect(dueCount(dueAtNs(970_657, 1.1848129280914548), 1_000_003, 1.1848129280914548)).toBe(970_658);
    fc.assert(
      fc.property(fc.nat({ max: 1_000_003 }), rates, (n, rate) => {
        expect(dueCount(dueAtNs(n, rate), n + 2, rate)).toBe(n + 1);
      }),
      { numRuns: 1009 },
    );
  });

  it('never goes back', () => {
    fc.assert(
      fc.property(elapsed, fc.double({ min: 0, max: 1e9, noNaN: true }), totals, rates, (atNs, later, total, rate) => {
        expect(dueCount(atNs + later, total, rate)).toBeGreaterThanOrEqual(dueCount(atNs, total, rate));
      }),
    );
  });

  it('of nobody has nobody due', () => {
    expect(dueCount(1e9, 0, 0)).toBe(0);
  });
});

const burst = '10s:5/s,1s:500/s,30s:5/s';
const stagesOf = (text: string) => parseRateStages(text) ?? [];

describe('a schedule in stages', () => {
  it('has the broadcasts of all, at their mean rate', () => {
    expect(loadOfStages(stagesOf(burst), 10)).toEqual({ broadcasts: 690, ratePerSecond: 700 / 41 });
  });

  it('is even within each stage, and goes on where one ends', () => {
    const due = dueInStages(burst, 700);
    expect([due[0], due[1], due[49], due[50], due[51], due[549], due[550], due[551]]).toEqual([
      ...[0, 200, 9800, 10_000, 10_002, 10_998, 11_000, 11_200],
    ]);
    expect(due[699]).toBe(40_800);
  });

  it('never goes back, and ends within its time', () =>
    law(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 97 })), {
        minLength: 1,
        maxLength: 7,
      }),
      (parts) => {
        const text = parts.map(([ms, perSecond]) => `${ms}ms:${perSecond}/s`).join(',');
        const stages = parseRateStages(text);
        fc.pre(stages !== undefined);
        const { broadcasts } = loadOfStages(stages!, 0);
        const due = [0, ...dueInStages(text, broadcasts)];
        expect(due.every((each, n) => n === 0 || each >= due[n - 1]!)).toBe(true);
        expect(due.at(-1)).toBeLessThan(parts.reduce((sum, [ms]) => sum + ms, 0));
      },
    ));

  it.each(['', '10s', '0s:5/s', '1s:0/s', '1s:5/s:7', '100ms:1/s'])('cannot be %j', (text) =>
    expect(parseRateStages(text)).toBeUndefined(),
  );
});

describe('a run in stages', () => {
  const planned = (scenario: typeof latency | typeof throughput, flags: Record<string, string>) =>
    plannedRun(scenario as typeof latency, { flags: { target: 'ws', rateStages: burst, ...flags }, env: {}, file: {} });

  it.each([latency, throughput])('of $name takes broadcasts and rate from them', (scenario) => {
    const { options, sources } = planned(scenario as typeof latency, { warmUp: '7' });
    expect(options).toMatchObject({ broadcasts: 693, ratePerSecond: 700 / 41 });
    expect(sources).toMatchObject({ broadcasts: 'flag', ratePerSecond: 'flag' });
  });

  it('has no other', () => {
    const problems = (flags: Record<string, string>): string[] => {
      try {
        planned(latency, flags);
      } catch (error) {
        return (error as ProblemError).problems.map(({ message }) => message);
      }
      return [];
    };
    expect(problems({ broadcasts: '7' })).toEqual([naming('--broadcasts', '--rate-stages', 7)]);
    expect(problems({ ratePerSecond: '7/s' })).toEqual([naming('--rate', '--rate-stages', 7)]);
    expect(problems({ warmUp: '700' })).toEqual([naming('--rate-stages', 700, '--warm-up')]);
  });

  it('refuses a load that a search sets', () => {
    const load = { rateStages: burst, warmUp: 10, ...loadOfStages(stagesOf(burst), 10) };
    expect(latency.contradictions?.(latencyOptions.parse(load))).toEqual([]);
    expect(latency.contradictions?.(latencyOptions.parse({ ...load, ratePerSecond: 7 }))).toEqual([
      naming('--rate-stages', 690, '7/s'),
    ]);
  });

  it('shows its figures over time where they were due', () => {
    const load = { rateStages: burst, warmUp: 10, ...loadOfStages(stagesOf(burst), 10) };
    const { atMs } = latency.blockTimes?.(latencyOptions.parse(load)).delivery ?? {};
    expect([atMs?.(0), atMs?.(40), atMs?.(540), atMs?.(690)]).toEqual([2000, 10_000, 11_000, 41_000]);
  });
});
