import { describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { audienceOnStage, first, type Given } from '../../../test/stage/echo.js';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { slotTimes } from '../../measure/paired/slots.js';
import { blockOf, blocksOf } from '../../measure/samples/blocks.js';
import { sumCounts, sumSeries } from '../../measure/samples/sample-sum.js';
import { shareOf, shareStart } from '../../measure/share.js';
import { total } from '../books/ledger.js';
import { roundsOfSends } from '../traffic/send-schedule.js';
import { echoLedger } from './index.js';

const noFaults = { unsent: 0, duplicate: 0, late: 0, stray: 0 };

/** Plays every stage, and gives the books. */
async function played(given: Given = {}) {
  const stage = audienceOnStage(given);
  for (const name of ['ramp', 'echo', 'drain']) await stage.stage(name);
  const report = stage.audience.report();
  const { entries, breaks } = echoLedger.ledger({ ...report, series: {} });
  expect(breaks).toEqual([]);
  return { ...stage, report, entries };
}

describe('the ramp of echoing clients', () => {
  it('proves each by a first echo, which is in no book', async () => {
    const { stage, audience, sends } = audienceOnStage();
    await stage('ramp');
    expect(sends.map(([client, sequence]) => [client, sequence])).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => [n, n]));
    expect(audience.progress()).toMatchObject({ subscribers: 7, failed: 0, sent: 0, received: 0 });
    expect(valuesOf(audience.report().samples.firstEcho)).toEqual(Array(7).fill(3000));
  });

  it('asks again those that get none, and ends them when their time is over', async () => {
    const { stage, audience, sends } = audienceOnStage({ answer: (client) => (client === 4 ? [] : [3]) });
    await stage('ramp');
    expect(audience.progress()).toMatchObject({ subscribers: 6, failed: 1 });
    expect(sends.filter(([client]) => client === 4).map(([, sequence]) => sequence)).toEqual([4, 11, 18, 25]);
    const { causes, counts } = audience.report();
    expect(causes.connect).toEqual({ 'subscribe-timeout': 1 });
    expect(counts).toMatchObject({ proofs: 10, proofsLost: 4 });
  });

  it.each([
    ['the second', (sequence: number) => (sequence === 4 ? [] : [3])],
    ['the first, which is late', (sequence: number) => (sequence === 4 ? [300] : sequence === 11 ? [] : [3])],
  ])('takes %s of two first echoes for a proof', async (_name, answer) => {
    const { entries, breaks } = await played({ answer: (_, sequence) => answer(sequence) }).then(({ report }) =>
      echoLedger.ledger({ ...report, series: {} }),
    );
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ ...noFaults, sent: 70, delivered: 70, proofs: 8, proofsLost: 1 });
    expect(echoLedger.ledgerLines(entries).map(([label]) => label)).toContain('first echoes');
  });

  it('loses no first echo that comes when its client is proven by another', async () => {
    const { report } = await played({ answer: (_, sequence) => [sequence === 4 ? 500 : 3] });
    expect(report.counts).toMatchObject({ subscribers: 7, proofs: 8, proofsLost: 0, stray: 0 });
  });

  it('takes a proof that came twice, or to another, for none', async () => {
    const { stage, audience, deliver } = audienceOnStage({ answer: () => [3, 4] });
    await stage('ramp');
    deliver([2], 3, 4);
    // A second one, for which this client was not asked.
    deliver([2], 9, 10);
    const { counts } = audience.report();
    expect(counts).toMatchObject({ subscribers: 7, received: 0, duplicate: 0, stray: 2, proofs: 7, proofsLost: 0 });
  });
});

describe('echoes on open schedules', () => {
  it('of a faultless target: every client sends as often as the rate says, and all come back', async () => {
    const { entries, sends, report } = await played();
    expect(entries).toMatchObject({ ...noFaults, sent: 70, expected: 70, delivered: 70, lost: 0 });
    const perClient = [0, 1, 2, 3, 4, 5, 6].map((each) => sends.filter(([client]) => client === each).length);
    expect(perClient).toEqual(Array(7).fill(11));
    expect(valuesOf(report.samples.roundTrip)).toEqual(Array(70).fill(3000));
    expect(report.counts.offeredPerSecond).toBeCloseTo(70, -1);
  });

  it('do not wait for answers; the intended instant is that of the schedule', async () => {
    const prompt = await played();
    const slow = await played({ answer: (_, sequence) => [sequence < first ? 3 : 401] });
    expect(slow.sends.slice(7)).toEqual(prompt.sends.slice(7));
    const { roundTrip, roundTripFromIntended, sendLag } = slow.report.samples;
    expect(valuesOf(roundTrip)).toEqual(Array(70).fill(401_000));
    for (const us of valuesOf(roundTripFromIntended)) expect(us).toBeGreaterThanOrEqual(401_000);
    const whole = (list: number[]): number => list.reduce((sum, us) => sum + us, 0);
    // Each is floored to whole microseconds.
    expect(Math.abs(whole(valuesOf(roundTripFromIntended)) - 70 * 401_000 - whole(valuesOf(sendLag)))).toBeLessThan(
      140,
    );
  });

  it('that are dropped, doubled and late are so counted, to the last', async () => {
    const answer: Given['answer'] = (_, sequence) => {
      if (sequence < first) return [3];
      if (sequence % 7 === 6) return [];
      return sequence % 5 === 4 ? [3, 4, 5] : [3];
    };
    const sequences = Array.from({ length: 70 }, (_, n) => n + first);
    const lost = sequences.filter((n) => n % 7 === 6).length;
    const twice = sequences.filter((n) => n % 7 !== 6 && n % 5 === 4).length;
    const { entries, report } = await played({ answer });
    expect(entries).toMatchObject({ ...noFaults, sent: 70, delivered: 70 - lost, lost, duplicate: 2 * twice });
    expect(valuesOf(report.samples.roundTrip)).toHaveLength(70 - lost);
  });

  it('that come after the drain are late, and lost', async () => {
    const { audience, deliver, stage, sends } = audienceOnStage({
      answer: (_, n) => (n < first || n > first + 2 ? [3] : []),
    });
    for (const name of ['ramp', 'echo', 'drain']) await stage(name);
    for (const [client, sequence] of sends.filter(([, n]) => n >= first && n <= first + 2))
      deliver([client], sequence, sequence + 1);
    const { counts } = audience.report();
    expect(counts).toMatchObject({ attempted: 70, received: 67, missing: 3, late: 3 });
  });

  it('drain no longer than needed, and no longer than asked', async () => {
    const quick = await played();
    const mute = await played({ answer: (_, sequence) => (sequence < first ? [3] : []) });
    expect(quick.sinceStartMs()).toBeLessThan(1200);
    expect(mute.sinceStartMs()).toBeGreaterThanOrEqual(1400);
    expect(mute.sinceStartMs()).toBeLessThan(1700);
    expect(mute.entries).toMatchObject({ delivered: 0, lost: 70 });
  });

  it('of clients that are gone are not sent', async () => {
    const stage = audienceOnStage();
    await stage.stage('ramp');
    stage.at(stage.sinceStartMs() + 503, () => stage.told().closed(3, 'reset', true));
    for (const name of ['echo', 'drain']) await stage.stage(name);
    const report = stage.audience.report();
    const { attempted = 0, unsent = 0, offeredPerSecond = 0, achievedPerSecond = 0 } = report.counts;
    expect(attempted + unsent).toBe(70);
    expect(unsent).toBeGreaterThan(3);
    // The rig kept the schedule of all who were there.
    expect(achievedPerSecond / offeredPerSecond).toBeCloseTo(1, 2);
    expect(report.counts).toMatchObject({ subscribers: 7, received: attempted, missing: 0 });
    expect(stage.gaveUp).toEqual([]);
  });

  it('give up when nobody is left', async () => {
    const stage = audienceOnStage({ clientCount: 2 });
    await stage.stage('ramp');
    stage.at(stage.sinceStartMs() + 503, () => {
      for (const client of [0, 1]) stage.told().closed(client, 'reset', true);
    });
    await stage.stage('echo');
    expect(stage.gaveUp).toEqual([{ code: 'targetGone', evidence: naming('reset') }]);
  });

  it.each([1, 2, 7, 13])('split over %i workers are the sends of one', async (of) => {
    const answer: Given['answer'] = () => [3];
    const parts = await Promise.all(
      Array.from({ length: of }, (_, index) =>
        played({
          answer,
          clientCount: shareOf(29, index, of),
          totalClients: 29,
          firstClient: shareStart(29, index, of),
          options: { rampRatePerSecond: 1000 },
        }),
      ),
    );
    const { sent, delivered, lost } = echoLedger.ledger({
      counts: sumCounts(parts.map(({ report }) => report.counts)),
      causes: {},
      series: {},
      timeline: {},
    }).entries;
    expect([sent, delivered, lost]).toEqual([290, 290, 0]);
  });
});

describe('echoes with a warm-up', () => {
  it('leave it out of every book', async () => {
    const { entries, sends, report, audience } = await played({ options: { warmUp: 3 } });
    expect(sends).toHaveLength(7 + 13 * 7);
    expect(audience.progress()).toMatchObject({ sent: 91, received: 91, awaited: 0 });
    expect(entries).toMatchObject({ ...noFaults, sent: 70, expected: 70, delivered: 70, lost: 0 });
    expect(valuesOf(report.samples.roundTrip)).toEqual(Array(70).fill(3000));
    expect(valuesOf(report.samples.sendLag)).toHaveLength(70);
    expect([total(report.timeline.sent), total(report.timeline.answered)]).toEqual([70, 70]);
  });

  it('count what it loses or doubles nowhere', async () => {
    const lostAndDoubled: Given['answer'] = (_, n) =>
      n < first ? [3] : n < first + 7 ? [] : n < first + 21 ? [3, 4] : [3];
    const { entries } = await played({ options: { warmUp: 3 }, answer: lostAndDoubled });
    expect(entries).toMatchObject({ ...noFaults, sent: 70, delivered: 70, lost: 0 });
  });
});

describe('echoes in the slots of a paired comparison', () => {
  const [rounds, warmUp, targets, slotMs] = [11, 2, 3, 40];
  const size = { seed: 7, rounds: rounds + warmUp, slotsMs: Array.from({ length: targets }, () => slotMs) };
  const slots = { beginNs: slotTimes(size, 1), slotMs };
  const options = { ...roundsOfSends({ rounds, warmUp, roundMs: targets * slotMs }), rampRatePerSecond: 1000 };

  it('are one of each client in a round, and counted by round', async () => {
    // The fourth measured round loses what client 2 sends.
    const isLost = (client: number, atMs: number): boolean => {
      const begunMs = slots.beginNs[warmUp + 3]! / 1e6;
      return client === 2 && atMs >= begunMs && atMs < begunMs + slotMs;
    };
    const set = audienceOnStage({ options, slots, answer: (client) => (isLost(client, sentMs()) ? [] : [3]) });
    let echoFromMs = Number.POSITIVE_INFINITY;
    const sentMs = (): number => set.sinceStartMs() - echoFromMs;
    await set.stage('ramp');
    echoFromMs = set.sinceStartMs();
    for (const name of ['echo', 'drain']) await set.stage(name);
    const { series, counts } = set.audience.report();
    expect(set.sends).toHaveLength(7 + 7 * (rounds + warmUp));
    const lost = Array.from({ length: rounds }, (_, round) => (round === 3 ? 1 : 0));
    expect([...(series.missing ?? [])]).toEqual(lost);
    expect([...(series.came ?? [])]).toEqual(lost.map((each) => 7 - each));
    expect(counts).toMatchObject({ attempted: 7 * rounds, received: 7 * rounds - 1, missing: 1 });
    for (const metric of ['roundTrip', 'roundTripAtLeast', 'roundTripFromIntended']) {
      const blocks = series[blocksOf(metric)] ?? new Uint32Array(0);
      const timed = Array.from({ length: rounds }, (_, round) => total(blockOf(blocks, round, rounds)));
      expect(timed).toEqual(lost.map((each) => 7 - each));
    }
  });

  it.each([1, 2, 7, 13])('split over %i workers are the rounds of one', async (of) => {
    const parts = await Promise.all(
      Array.from({ length: of }, (_, index) =>
        played({
          clientCount: shareOf(29, index, of),
          totalClients: 29,
          firstClient: shareStart(29, index, of),
          options,
          slots,
        }),
      ),
    );
    const { came, missing } = sumSeries(parts.map(({ report }) => report.series));
    expect([...(came ?? [])]).toEqual(Array(rounds).fill(29));
    expect(total(missing)).toBe(0);
  });
});

describe('echoes in a closed loop', () => {
  const closed = { loop: 'closed', ratePerSecond: 1000 };

  it('follow each other: one is under way for each client', async () => {
    const { sends, report, entries } = await played({ options: closed, answer: () => [50] });
    // 1000 ms hold a send at once and one after each of the nineteen answers before the end.
    for (let client = 0; client < 7; client++) {
      const own = sends.filter(([each, sequence]) => each === client && sequence >= first).map(([, , atMs]) => atMs);
      expect([19, 20]).toContain(own.length);
      for (let n = 1; n < own.length; n++) expect((own[n] as number) - (own[n - 1] as number)).toBeCloseTo(50, 6);
    }
    expect(entries).toMatchObject({ ...noFaults, sent: sends.length - 7, lost: 0 });
    expect(Object.keys(report.samples).sort()).toEqual([
      ...['connect', 'connectAtLeast', 'firstEcho', 'firstEchoAtLeast', 'roundTrip', 'roundTripAtLeast'],
    ]);
    expect(report.counts).not.toHaveProperty('offeredPerSecond');
  });

  it('go on when one stays away, which is lost', async () => {
    const isFirst = (sequence: number): boolean => sequence === first;
    const { sends, entries } = await played({
      options: { ...closed, drainMs: 211 },
      answer: (_, sequence) => (isFirst(sequence) ? [] : [50]),
    });
    const [[client, , atMs]] = sends.filter(([, sequence]) => isFirst(sequence)) as [[number, number, number]];
    const next = sends.find(([each, sequence]) => each === client && sequence > first)?.[2] ?? 0;
    expect(next - atMs).toBeGreaterThanOrEqual(211);
    expect(next - atMs).toBeLessThanOrEqual(221);
    expect(entries).toMatchObject({ ...noFaults, lost: 1 });
  });

  it('that come after they were given up are late, and start no second loop', async () => {
    const { entries, sends } = await played({
      options: { ...closed, drainMs: 211 },
      answer: (_, sequence) => [sequence === first ? 300 : 50],
    });
    expect(entries).toMatchObject({ late: 1, lost: 1, duplicate: 0 });
    const counts = [0, 1, 2, 3, 4, 5, 6].map((each) => sends.filter(([client]) => client === each).length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(21);
  });
});
