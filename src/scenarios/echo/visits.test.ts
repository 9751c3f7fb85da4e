import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { allSent } from '../../../test/stage/ahead.js';
import { type Given, playedSenders, sendersOnStage } from '../../../test/stage/senders.js';
import { shareOf, shareStart } from '../../measure/share.js';
import { sendFate } from '../../protocols/protocol.js';
import { echo, echoLedger } from '../echo.js';
import { shareVisits, stagesOf, visitsOf } from '../roster/stages.js';

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
