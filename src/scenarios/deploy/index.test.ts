import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { naming } from '../../../test/refusal.js';
import { publisherOnStage } from '../../../test/stage/publisher.js';
import { deploy, deployLedger } from './index.js';
import { deployOptions, deployPublisher } from './roles.js';

const { disruption, demand } = deploy;
const options = (given: Record<string, unknown> = {}) => deployOptions.parse(given);

describe('the deploy', () => {
  it('publishes on one schedule from its warm-up to its end', () => {
    const given = options({ clients: 211, rampRatePerSecond: 100, drainMs: 3000 });
    expect(demand(given, {} as never)).toMatchObject({
      clients: 211,
      broadcasts: 64,
      durationMs: 2110 + 32_000 + 6000,
    });
  });

  it('is refused where its broadcasts are over before the order', () => {
    const refusal = naming('--broadcasts:', 11, '--before 5s', '--rate 2/s', 10);
    expect(deploy.contradictions?.(options({ broadcasts: 10 }))).toEqual([refusal]);
    expect(deploy.contradictions?.(options({ broadcasts: 11 }))).toEqual([]);
  });

  const standalone = { application: 'standalone' };
  it.each([
    // Ours in front of the target: its process numbers.
    [{ opened: 211, applicationProcesses: 3, replacedProcesses: 3, redeployMs: 97 }, standalone, undefined],
    [{ opened: 211, applicationProcesses: 3, replacedProcesses: 2 }, standalone, naming('of 3', 'application', '2')],
    // In the target: the cuts of its clients.
    [{ opened: 211, cut: 211, replacedTargets: 1 }, {}, undefined],
    [{ opened: 211, cut: 2 }, {}, naming('of 211', '2')],
    [{ opened: 211, cut: 3 }, {}, undefined],
    [{ opened: 211, cut: 7, cutsBefore: 7, unpublishedAfter: 5 }, {}, naming('of 211', '0')],
    // Somebody's in front of the target: publishes that found nobody.
    [{ opened: 211, unpublishedAfter: 1 }, standalone, undefined],
    [{ opened: 211, unpublishedAfter: 0 }, standalone, naming('of 211', '0')],
  ] as const)('is known by what can not lie: %j %j', (counts, given, expected) => {
    expect(disruption?.failed({ dueAfter: 50, ...counts }, options(given))).toEqual(
      expected && { code: 'noRestart', evidence: expected },
    );
  });

  it('is none where broadcasts ended before it was over: they show nothing of what came after', () => {
    const counts = { opened: 211, cut: 211, dueAfter: 49, redeployMs: 24_499 };
    expect(disruption?.failed(counts, options({}))).toBeUndefined();
    expect(disruption?.failed({ ...counts, redeployMs: 24_500 }, options({}))).toEqual({
      code: 'restartOutlasted',
      evidence: naming('24,500 ms', '--broadcasts'),
    });
  });
});

/** Seven clients, ten broadcasts; one is refused and one fails, five clients are cut and four come back. */
const sound = () => ({
  counts: {
    ...{ attempted: 10, subscribers: 7, duplicate: 1, outOfOrder: 0, late: 2 },
    ...{ cut: 5, neverCut: 2, cutAgain: 1, cutsBefore: 1, proven: 3, backUnproven: 1 },
    ...{ attempts: 9, returns: 5, failedAttempts: 3, underWay: 1, resumes: 4, recovered: 3 },
    ...{ gaps: 5, openGaps: 1, unheard: 1, replacedTargets: 3, redeployMs: 1009 },
  },
  causes: {
    cut: { 'end-of-stream': 5 },
    cutAgain: { reset: 1 },
    attempt: { 'connect-refused': 3 },
    notBack: { 'under way': 1 },
    publish: { 'http-status:502': 1, 'connect-refused': 1 },
  },
  series: {
    acked: Uint32Array.of(1, 1, 1, 1, 0, 0, 1, 1, 1, 1),
    refused: Uint32Array.of(0, 0, 0, 0, 1, 0, 0, 0, 0, 0),
    failed: Uint32Array.of(0, 0, 0, 0, 0, 1, 0, 0, 0, 0),
    delivered: Uint32Array.of(7, 7, 7, 3, 0, 0, 4, 6, 6, 6),
    missing: Uint32Array.of(0, 0, 0, 4, 7, 7, 3, 1, 1, 1),
    cameLive: Uint32Array.of(7, 7, 7, 2, 0, 0, 3, 6, 6, 6),
    cameReplayed: Uint32Array.of(0, 0, 0, 1, 0, 0, 1, 0, 0, 0),
    missedAway: Uint32Array.of(0, 0, 0, 4, 7, 7, 2, 1, 1, 1),
    missedThere: Uint32Array.of(0, 0, 0, 0, 0, 0, 1, 0, 0, 0),
    cutInMs: Uint32Array.of(0, 0, 0, 2, 0, 3, 0),
  },
  timeline: {},
});

describe('the books of a deploy', () => {
  it('foot at every step', () => {
    const { entries, breaks } = deployLedger.ledger(sound());
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({
      ...{ attempted: 10, acked: 8, refused: 1, failed: 1, unpublished: 2, wanted: 70 },
      ...{ expected: 56, delivered: 46, lost: 10, lostOffline: 9, lostOnline: 1, live: 44, replayed: 2 },
      ...{ dropped: 6, back: 4, notBack: 1, droppedByCause: { 'end-of-stream': 5, reset: 1 } },
      ...{ firstCutMs: 3, lastCutMs: 5 },
    });
  });

  it.each([
    ['neverCut', naming('subscribers 7', 'cut + neverCut = 8')],
    ['proven', naming('cut 5', 'proven + backUnproven + notBack = 6')],
    ['returns', naming('dropped 6', 'returns + notBack = 7')],
    ['underWay', naming('attempts 9', 'returns + failedAttempts + underWay = 10')],
    ['openGaps', naming('subscribers 7', 'gaps + openGaps + unheard = 8')],
    ['attempted', naming('attempted 11', 'acked + refused + failed = 10')],
  ] as const)('break when %s is one more', (name, expected) => {
    const given = sound();
    given.counts[name]++;
    expect(deployLedger.ledger(given).breaks).toContainEqual(expected);
  });

  it('break when deliveries, losses or milliseconds tell another count', () => {
    const given = sound();
    given.series.cameLive[3] = 3;
    given.series.missedThere[3] = 1;
    given.series.cutInMs[6] = 1;
    expect(deployLedger.ledger(given).breaks).toEqual([
      naming('expected 56', 'live + replayed + lostOffline + lostOnline = 58'),
      naming('delivered 46', 'live + replayed = 47'),
      naming('lost 10', 'lostOffline + lostOnline = 11'),
      naming('cut 5', 'cut before the order + at some millisecond = 6'),
    ]);
  });

  it('are told in sentences', async () => {
    await expectGolden('ledger/deploy.txt', {
      'a whole run': ledgerText(deployLedger.ledgerLines(deployLedger.ledger(sound()).entries)),
    });
  });
});

function onStage(answers: (sequence: number) => number | string | undefined = () => 201) {
  const options = deployOptions.parse({ warmUp: 2, broadcasts: 9, ratePerSecond: 10, beforeMs: 250 });
  return publisherOnStage(deployPublisher, options, { broadcasts: 11, answers });
}

describe('the publisher of a deploy', () => {
  it('keeps its one schedule while a gate is stood at, and to its end', async () => {
    const { play, wait, sends, sinceMs, publisher } = onStage();
    await play('steady');
    expect(sinceMs()).toBe(200 + 250);
    await wait(313);
    await play('redeploy');
    expect(sends).toEqual(Array.from({ length: 11 }, (_, sequence) => [sequence, sequence * 100]));
    const { counts, series } = publisher.report();
    // The order came 313 ms after the 450 that were planned: of eleven broadcasts three were due after it.
    expect(counts).toMatchObject({
      attempted: 9,
      latePublishes: 0,
      unpublishedAfter: 0,
      dueAfter: 3,
      offeredPerSecond: 10,
    });
    expect([...(series.acked ?? [])]).toEqual(new Array(9).fill(1));
  });

  it('counts what nobody took, by cause, and apart what was due after the order', async () => {
    const { play, publisher } = onStage((sequence) =>
      sequence === 3 || sequence === 7 ? 'connect-refused' : sequence === 8 ? 502 : 201,
    );
    await play('steady');
    await play('redeploy');
    const { counts, causes, series } = publisher.report();
    expect(counts).toMatchObject({ attempted: 9, unpublishedAfter: 2 });
    expect(counts.offeredPerSecond).toBeCloseTo(10, 9);
    expect([counts.achievedPerSecond, counts.unmetPerSecond]).toEqual([
      expect.closeTo(7 / 0.9, 9),
      expect.closeTo(2 / 0.9, 9),
    ]);
    expect(causes).toEqual({ publish: { 'connect-refused': 2, 'http-status:502': 1 } });
    expect([...(series.failed ?? [])]).toEqual([0, 1, 0, 0, 0, 1, 0, 0, 0]);
    expect([...(series.refused ?? [])]).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 0]);
  });

  it('leaves no publish out of its books when the run is ended between its stages', async () => {
    const { play, wait, abort, publisher } = onStage((sequence) => (sequence < 6 ? 201 : undefined));
    await play('steady');
    await wait(201);
    abort.abort();
    const { counts, causes, series } = publisher.report();
    const sum = (name: string) => [...(series[name] ?? [])].reduce((all, each) => all + each, 0);
    expect(counts.attempted).toBe(5);
    expect([sum('acked'), sum('refused'), sum('failed')]).toEqual([4, 0, 1]);
    expect(causes).toEqual({ publish: { ours: 1 } });
  });
});
