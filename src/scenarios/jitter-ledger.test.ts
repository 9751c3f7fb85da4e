import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../test/golden.js';
import { naming } from '../../test/refusal.js';
import { sumCauses, sumCounts, sumSeries } from '../measure/samples/sample-sum.js';
import { jitter, jitterLedger, MIN_OFFLINE_MS } from './jitter.js';
import { loadOptions } from './load-options.js';
import type { Sums } from './scenario.js';

const options = jitter.options.parse({ clients: 997, rampRatePerSecond: 250, ratePerSecond: 4, drainMs: 503 });

it('demands its subscribers and the time of all stages', () => {
  expect(jitter.demand(options, loadOptions.parse({}))).toEqual({
    clients: 997,
    publishesPerSecond: 4,
    payloadBytes: 200,
    broadcasts: 124,
    measuredBroadcasts: 120,
    durationMs: 3988 + 31_000 + 2000 + 2 * 503,
  });
});

it('refuses drops that follow each other faster than a client can come back', () => {
  const of = (everyMs: number, offlineMs: number) =>
    jitter.contradictions?.(jitter.options.parse({ everyMs, offlineMs }));
  expect(of(2999, 0)).toEqual([naming('--every:', '3s', '--offline', '2s', '1s', '2999ms')]);
  expect([of(3000, 0), of(8000, 7000)]).toEqual([[], []]);
  expect(of(15_000, 30_000)).toHaveLength(1);
});

it('floors the offline window, the same for every target', () => {
  const of = (offlineMs: number): number => jitter.options.parse({ offlineMs }).offlineMs;
  expect([of(0), of(1999), of(2000), of(2001)]).toEqual([2000, 2000, 2000, 2001]);
  expect([options.offlineMs, MIN_OFFLINE_MS]).toEqual([2000, 2000]);
});

/** Three broadcasts to seven subscribers, the third of which was refused; five drops and a cut. */
const footing = () => ({
  counts: {
    ...{ attempted: 3, subscribers: 7, duplicate: 1, outOfOrder: 2, late: 0 },
    ...{ planned: 8, drops: 5, skipped: 2, notDue: 1, cuts: 1, back: 4 },
    ...{ attempts: 7, failedAttempts: 2, underWay: 1, resumes: 4, recovered: 3 },
  } as Record<string, number>,
  causes: {
    close: { 'close-code:1012': 1 },
    reconnect: { 'connect-refused': 2 },
    notBack: { 'connect-refused': 1, 'under way': 1 },
  } as Record<string, Record<string, number>>,
  series: {
    acked: Uint32Array.of(1, 1, 0),
    refused: Uint32Array.of(0, 0, 1),
    failed: Uint32Array.of(0, 0, 0),
    delivered: Uint32Array.of(6, 4, 7),
    missing: Uint32Array.of(1, 3, 0),
    cameLive: Uint32Array.of(5, 2, 7),
    cameReplayed: Uint32Array.of(1, 2, 0),
    missedAway: Uint32Array.of(0, 3, 0),
    missedThere: Uint32Array.of(1, 0, 0),
  } as Record<string, Uint32Array>,
  timeline: {},
});

describe('the ledger of subscribers that lose their network', () => {
  it('foots', () => {
    expect(jitterLedger.ledger(footing())).toEqual({
      entries: {
        ...{ attempted: 3, acked: 2, refused: 1, failed: 0, expected: 14, delivered: 10, lost: 4 },
        ...{ duplicate: 1, outOfOrder: 2, late: 0, live: 7, replayed: 3, lostOffline: 3, lostOnline: 1 },
        ...{ planned: 8, drops: 5, skipped: 2, notDue: 1, cuts: 1, back: 4, notBack: 2 },
        ...{ attempts: 7, failedAttempts: 2, underWay: 1, resumes: 4, recovered: 3 },
        notBackByCause: { 'connect-refused': 1, 'under way': 1 },
        cutByCause: { 'close-code:1012': 1 },
        failedByCause: { 'connect-refused': 2 },
      },
      breaks: [],
    });
  });

  it.each([
    ['cameLive', naming('delivered 10', 'live + replayed = 11')],
    ['missedThere', naming('lost 4', 'lostOffline + lostOnline = 5')],
    ['missing', naming('expected 14', 'delivered + lost = 15')],
  ])('breaks where the series %s counts one too many', (name, said) => {
    const sums = footing();
    (sums.series[name] as Uint32Array)[0] = (sums.series[name]?.[0] as number) + 1;
    expect(jitterLedger.ledger(sums).breaks).toContainEqual(said);
  });

  it.each([
    ['skipped', naming('planned 8', 'drops + skipped + notDue = 9')],
    ['cuts', naming('drops + cuts 7', 'back + notBack = 6')],
    ['failedAttempts', naming('attempts 7', 'back + failedAttempts + underWay = 8')],
  ])('breaks where %s is one too many', (name, said) => {
    const sums = footing();
    sums.counts[name] = (sums.counts[name] as number) + 1;
    expect(jitterLedger.ledger(sums).breaks).toEqual([said]);
  });

  it('of several shards is the sum of theirs', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), (shards) => {
        const parts = Array.from({ length: shards }, footing);
        const sums: Sums = {
          counts: sumCounts(parts.map(({ counts }) => counts)),
          causes: sumCauses(parts.map(({ causes }) => causes)),
          // Each broadcast is published by one of them.
          series: sumSeries(
            parts.map(({ series: { acked, refused, failed, ...heard } }, index) =>
              index === 0
                ? {
                    ...heard,
                    ...Object.fromEntries(
                      Object.entries({ acked, refused, failed }).flatMap(([name, values]) =>
                        values ? [[name, values]] : [],
                      ),
                    ),
                  }
                : heard,
            ),
          ),
          timeline: {},
        };
        const { entries, breaks } = jitterLedger.ledger({ ...sums, counts: { ...sums.counts, attempted: 3 } });
        expect(breaks).toEqual([]);
        expect(entries).toMatchObject({ expected: 14 * shards, drops: 5 * shards, lostOffline: 3 * shards });
      }),
    );
  });
});

it('says it in sentences, and leaves out what did not happen', async () => {
  await expectGolden('ledger/jitter.txt', {
    'a whole run': ledgerText(jitterLedger.ledgerLines(jitterLedger.ledger(footing()).entries)),
  });
  const labels = jitterLedger
    .ledgerLines(jitterLedger.ledger({ counts: {}, causes: {}, series: {}, timeline: {} }).entries)
    .map(([label]) => label);
  expect(labels).toEqual(['publishes', 'deliveries', 'delivered', 'lost', 'beside', 'drops', 'returns', 'reconnects']);
});
