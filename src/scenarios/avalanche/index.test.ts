import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { naming } from '../../../test/refusal.js';
import { avalanche, avalancheLedger } from './index.js';
import { avalancheOptions } from './roles.js';

const { disruption, demand } = avalanche;

describe('the avalanche', () => {
  it('plans its broadcasts to the deadline, and no time beyond', () => {
    const options = avalancheOptions.parse({ clients: 211, rampRatePerSecond: 100, deadlineMs: 7003 });
    expect(demand(options, {} as never)).toMatchObject({
      clients: 211,
      broadcasts: 4 + 29,
      durationMs: 2110 + 1000 + 5000 + 7003,
    });
  });

  it.each([
    [{}, naming('of 0', '0')],
    [{ opened: 5003, cut: 0 }, naming('of 5,003', '0')],
    [{ opened: 5003, cut: 50 }, naming('of 5,003', '50')],
    [{ opened: 5003, cut: 51 }, undefined],
    [{ opened: 1, cut: 1 }, undefined],
    [{ opened: 5003, cut: 60, cutBefore: 60 }, naming('of 5,003', '0')],
  ])('knows a restart by who was cut: %j', (counts, expected) => {
    const failure = expected && { code: 'noRestart', evidence: expected };
    expect(disruption?.failed(counts, avalancheOptions.parse({}))).toEqual(failure);
  });
});

/** How many clients fell into which milliseconds, out of 101. */
function inMs(counts: Record<number, number>): Uint32Array {
  const series = new Uint32Array(101);
  for (const [ms, count] of Object.entries(counts)) series[Number(ms)] = count;
  return series;
}

const sound = () => ({
  counts: {
    ...{ asked: 211, notStarted: 2, opened: 200, lostBefore: 4, provenBefore: 199, subscribers: 200 },
    ...{ cut: 197, cutBefore: 0, neverCut: 3, overdue: 7, proven: 190, backUnproven: 2, cutAgain: 7 },
    ...{ attempts: 300, returns: 199, failedAttempts: 98, underWay: 3 },
    ...{ attempted: 17, acked: 11, refused: 1, failedPublishes: 5 },
  },
  causes: {
    connect: { 'connect-timeout': 5 },
    cut: { reset: 97, 'end-of-stream': 100 },
    cutAgain: { reset: 7 },
    attempt: { 'connect-refused': 98 },
    notBack: { 'connect-refused': 4, 'under way': 1 },
  },
  series: { cutInMs: inMs({ 3: 97, 13: 100 }), provenInMs: inMs({ 31: 98, 37: 1, 41: 88, 53: 3 }) },
  timeline: {},
});

describe('the books of an avalanche', () => {
  it('foot at every step, and name who fell out', () => {
    const { entries, breaks } = avalancheLedger.ledger(sound());
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({
      ...{ asked: 211, notOpened: 7, notOpenedByCause: { 'connect-timeout': 5, 'not-started': 2 } },
      ...{ back: 192, notBack: 5, notBackByCause: { 'connect-refused': 4, 'under way': 1 } },
      ...{ firstCutMs: 3, lastCutMs: 13, failed: 5 },
    });
  });

  it('tell when a share of all that were cut was back, and nothing of a share that was not by the deadline', () => {
    const { entries } = avalancheLedger.ledger(sound());
    // Half of 197 is 99 clients, 95 % are 188, 99 % would be 196.
    expect(entries).toMatchObject({ backAfterMs50: 37, backAfterMs95: 53 });
    expect(entries).not.toHaveProperty('backAfterMs99');
    expect(entries).not.toHaveProperty('backAfterMs100');
  });

  it('have no time for a run without a cut', () => {
    const given = sound();
    const { entries, breaks } = avalancheLedger.ledger({
      ...given,
      counts: { asked: 7, opened: 7, neverCut: 7 },
      causes: {},
      series: { cutInMs: inMs({}), provenInMs: inMs({}) },
    });
    expect(breaks).toEqual([]);
    expect(Object.keys(entries).filter((name) => name.endsWith('Ms') || /Ms\d+$/.test(name))).toEqual([]);
  });

  it.each([
    ['attempted', naming('attempted 18', 'acked + refused + failed = 17')],
    ['asked', naming('asked 212', 'opened + notOpened + lostBefore = 211')],
    ['neverCut', naming('opened 200', 'cut + neverCut = 201')],
    ['backUnproven', naming('cut 197', 'proven + backUnproven + notBack = 198')],
    ['returns', naming('cut + cutAgain 204', 'returns + notBack = 205')],
    ['underWay', naming('attempts 300', 'returns + failedAttempts + underWay = 301')],
  ] as const)('break when %s is one more', (name, expected) => {
    const given = sound();
    given.counts[name]++;
    expect(avalancheLedger.ledger(given).breaks).toContainEqual(expected);
  });

  it('say nothing of the rest in a run that did not wait to the deadline', () => {
    const given = sound();
    const { entries } = avalancheLedger.ledger({ ...given, counts: { ...given.counts, overdue: 0 } });
    expect(avalancheLedger.ledgerLines(entries)).toContainEqual([
      'time to',
      '50 % 37 ms · 95 % 53 ms · 99 % – · 100 % –',
    ]);
  });

  it('have who was cut before the order alone in no millisecond after it', () => {
    const given = sound();
    const series = { ...given.series, cutInMs: inMs({ 3: 97, 13: 95 }) };
    const { entries, breaks } = avalancheLedger.ledger({ ...given, counts: { ...given.counts, cutBefore: 5 }, series });
    expect(breaks).toEqual([]);
    const [, [, words] = []] = avalancheLedger.ledgerLines(entries);
    expect(words).toMatch(/ 13 ms; 5 .*; 7 /);
  });

  it('break when the milliseconds tell another count', () => {
    const given = sound();
    given.series.cutInMs[7] = 1;
    given.series.provenInMs[97] = 1;
    expect(avalancheLedger.ledger(given).breaks).toEqual([
      naming('cut 197', 'cutBefore + cut at some millisecond after the order = 198'),
      naming('proven 190', 'proven at some millisecond = 191'),
    ]);
  });

  it('are told in sentences', async () => {
    await expectGolden('ledger/avalanche.txt', {
      'a whole run': ledgerText(avalancheLedger.ledgerLines(avalancheLedger.ledger(sound()).entries)),
    });
  });
});
