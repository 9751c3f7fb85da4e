import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../test/golden.js';
import { naming } from '../../test/refusal.js';
import { allSent } from '../../test/stage/ahead.js';
import { type Given, playedSenders, sendersOnStage } from '../../test/stage/senders.js';
import { shareOf, shareStart } from '../measure/share.js';
import { sendFate } from '../protocols/protocol.js';
import { echo, echoLedger } from './echo.js';
import { loadOptions } from './load-options.js';
import { shareVisits, stagesOf, visitsOf } from './traffic/schedule.js';

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
});

const noFaults = { unsent: 0, lost: 0, duplicate: 0, late: 0, stray: 0 };
const clients = [0, 1, 2, 3, 4, 5, 6];
const play = (given: Given) =>
  playedSenders(echo, { ...given, options: { loop: 'closed', ratePerSecond: 1000, drainMs: 211 } });

describe('echoes in a closed loop', () => {
  it('follow each other: one is under way for each client', async () => {
    const { sends, entries, counts, reports } = await play({ answer: () => [50] });
    // 1000 ms hold a send at once and one after each of the nineteen answers before the end.
    for (const client of clients) {
      const own = sends.filter((sent) => sent.client === client && sent.isMeasured).map(({ atMs }) => atMs);
      expect([19, 20]).toContain(own.length);
      for (let n = 1; n < own.length; n++) expect(own[n]! - own[n - 1]!).toBeCloseTo(50, 6);
    }
    expect(entries).toMatchObject({ ...noFaults, sent: sends.length - 7 });
    expect(Object.keys(reports[0]!.samples).sort()).toEqual([
      ...['connect', 'connectAtLeast', 'firstEcho', 'firstEchoAtLeast', 'roundTrip', 'roundTripAtLeast'],
    ]);
    expect(counts).not.toHaveProperty('offeredPerSecond');
  });

  it.each([
    ['stays away, which is lost', [], 0],
    ['comes after it was given up, which is late and starts no second loop', [300], 1],
  ])('go on when one %s', async (_name, answer, late) => {
    const isFirst = (client: number, nth: number): boolean => client === 2 && nth === 1;
    const { sends, entries } = await play({ answer: ({ client, nth }) => (isFirst(client, nth) ? answer : [50]) });
    const [first, next] = [1, 2].map((nth) => sends.find((sent) => sent.client === 2 && sent.nth === nth)!);
    expect(Math.floor((next!.atMs - first!.atMs) / 10)).toBe(21);
    expect(entries).toMatchObject({ ...noFaults, lost: 1, late });
    for (const client of clients) expect(sends.filter((sent) => sent.client === client).length).toBeLessThanOrEqual(21);
  });

  it('end where the table of sends is full, which the ledger says', async () => {
    const { entries } = await play({ size: 7 * 32 });
    expect(entries).toMatchObject({ ...noFaults, sent: 7 * 31, unsent: expect.any(Number) });
    expect(entries.unsentByCause).toEqual({ 'table-full': entries.unsent });
    expect(entries.unsent).toBeGreaterThanOrEqual(7);
  });
});

const staying = 5;
/** Thirteen come within a second, nine of whom leave within the next half. */
const stages = '1s:13,500ms:4,500ms:4';
const all = visitsOf(stagesOf(stages));
const inAll = staying + all.length;
const faultless = { visits: 13, visitsEnded: 9, visitsStayed: 4, visitsCut: 0, visitsFailed: 0, visitsUnready: 0 };

/** Plays a run of 2.1 seconds over so many shards. */
async function run(shards: number, { options, ...given }: Given = {}) {
  const more = { clients: staying, stages, durationMs: 2100, ...options };
  const played = await playedSenders(echo, { clientCount: inAll, shards, ...given, options: more });
  const visitors = Array.from({ length: shards }, (_, index) => {
    const [firstClient, clientCount] = [shareStart(inAll, index, shards), shareOf(inAll, index, shards)];
    const { staying: first, visits } = shareVisits({ firstClient, clientCount, totalClients: inAll }, all.length);
    return visits.map((visit, n) => ({ client: firstClient + first + n, ...all[visit]! }));
  }).flat();
  /** The sends of each visitor, beside its time there until the end of the run. */
  const visits = visitors.map(({ client, fromMs, toMs }) => ({
    sends: played.sends.filter((sent) => sent.isMeasured && sent.client === client).length,
    thereMs: Math.min(toMs, 2100) - fromMs,
  }));
  return { ...played, visits };
}

describe.each([
  ['now', {}],
  ['ahead', { ahead: allSent }],
])('visitors who echo, sent %s', (_name, way: Given) => {
  it.each([1, 2, 7])('are owed all that they sent on their schedules, but for losses: %i shard(s)', async (shards) => {
    let lost = 0;
    const { entries, sends, visits } = await run(shards, {
      ...way,
      answer({ client, nth, isMeasured }) {
        if (!isMeasured || (nth + client) % 5 > 0) return [3];
        lost++;
        return [];
      },
    });
    expect(lost).toBeGreaterThan(0);
    const expected = sends.filter(({ isMeasured }) => isMeasured).length;
    expect(entries).toMatchObject({ ...faultless, sent: expected, expected, delivered: expected - lost, lost });
    expect(entries.unsent).toBe(0);
    // Ten a second, between its first echo and the tick after its end.
    expect(visits).toHaveLength(13);
    for (const visit of visits) expect(Math.abs(visit.sends - visit.thereMs / 100)).toBeLessThanOrEqual(1.2);
  });

  it('are timed as they arrive, by their first echo', async () => {
    const { samples, counts } = await run(1, way);
    expect(samples('arrival')).toEqual(all.map(() => 6000));
    expect(counts).toMatchObject({ subscribers: inAll, arrived: 13, opened: staying });
  });

  it('send in a closed loop from their arrival to their end', async () => {
    const { entries, visits } = await run(2, { ...way, options: { loop: 'closed' }, answer: () => [50] });
    expect(entries).toMatchObject({ ...faultless, lost: 0, unsent: 0 });
    for (const visit of visits) expect(Math.abs(visit.sends - visit.thereMs / 50)).toBeLessThanOrEqual(2);
  });

  it('have the rest of their visit unsent if the target cuts them', async () => {
    let isCut = false;
    const set = await sendersOnStage(echo, {
      ...{ clientCount: 2, options: { clients: 1, stages: '1s:1,1s:1', durationMs: 2000 } },
      ...(way.ahead && { ahead: (client) => (isCut && client === 1 ? sendFate.gone : sendFate.sent) }),
    });
    await set.stage('ramp');
    // It came at 500 ms.
    set.at(1003, () => {
      isCut = true;
      set.cut(1);
    });
    for (const name of ['echo', 'drain']) await set.stage(name);
    const { entries } = set.books();
    expect(entries).toMatchObject({
      visitsCut: 1,
      visitsCutByCause: { reset: 1 },
      unsentByCause: { gone: 10 },
      lost: 0,
    });
    expect(set.gaveUp()).toEqual([]);
    const lines = ledgerText(echoLedger.ledgerLines(entries as never));
    await expectGolden('ledger/visited-echo.txt', { 'a cut visitor': lines });
  });
});

it('a visitor whose first echo is lost is asked again', async () => {
  const { entries, counts } = await run(1, { subscribeTimeoutMs: 211, answer: ({ nth }) => (nth === 0 ? [] : [3]) });
  expect(entries).toMatchObject({ ...faultless, lost: 0, proofs: 2 * inAll, proofsLost: inAll });
  expect(counts.subscribers).toBe(inAll);
});
