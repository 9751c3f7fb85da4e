import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { allSent } from '../../../test/stage/ahead.js';
import { audienceOnStage, type Given } from '../../../test/stage/echo.js';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { sumCauses, sumCounts, sumSeries } from '../../measure/samples/sample-sum.js';
import { shareOf, shareStart } from '../../measure/share.js';
import { sendFate } from '../../protocols/protocol.js';
import { shareVisits, stagesOf, visitsOf } from '../roster/stages.js';
import { firstSend } from './book.js';
import { echoLedger } from './index.js';

const staying = 5;
/** Thirteen come within a second, nine of whom leave within the next half. */
const stages = '1s:13,500ms:4,500ms:4';
const all = visitsOf(stagesOf(stages));
const inAll = staying + all.length;
const faultless = { visits: 13, visitsEnded: 9, visitsStayed: 4, visitsCut: 0, visitsFailed: 0, visitsUnready: 0 };

/** Plays one shard of a run of 2.1 seconds. */
async function shard(index: number, of: number, { options, ...given }: Given = {}) {
  const part = {
    clientCount: shareOf(inAll, index, of),
    totalClients: inAll,
    firstClient: shareStart(inAll, index, of),
  };
  const stage = audienceOnStage({ ...part, ...given, options: { stages, durationMs: 2100, ...options } });
  for (const name of ['ramp', 'echo', 'drain']) await stage.stage(name);
  const { staying: first, visits } = shareVisits(part, all.length);
  const isSend = ([, sequence]: readonly [number, number, number]): boolean => sequence >= firstSend(part.clientCount);
  return { ...stage, report: stage.audience.report(), first, visits, echoes: stage.sends.filter(isSend) };
}

async function run(of: number, given: Given = {}) {
  const shards = await Promise.all(Array.from({ length: of }, (_, index) => shard(index, of, given)));
  const reports = shards.map(({ report }) => report);
  const { entries, breaks } = echoLedger.ledger({
    counts: sumCounts(reports.map(({ counts }) => counts)),
    causes: sumCauses(reports.map(({ causes }) => causes)),
    series: sumSeries(reports.map(({ series }) => series)),
    timeline: {},
  });
  expect(breaks).toEqual([]);
  return { shards, entries };
}

describe.each([
  ['now', undefined],
  ['ahead', allSent],
])('visitors who echo, sent %s', (_name, ahead) => {
  it.each([1, 2, 7])('are owed all that they sent, and lose what the target drops by rule: %i shard(s)', async (of) => {
    const isDropped = (client: number, sequence: number): boolean =>
      sequence >= shareOf(inAll, 0, of) && (sequence + client) % 5 === 0;
    const { shards, entries } = await run(of, { ahead, answer: (...send) => (isDropped(...send) ? [] : [3]) });
    const sends = shards.flatMap(({ echoes }) => echoes);
    const lost = sends.filter(([client, sequence]) => isDropped(client, sequence)).length;
    expect(lost).toBeGreaterThan(0);
    const expected = sends.length;
    expect(entries).toMatchObject({
      ...faultless,
      sent: expected,
      expected,
      delivered: expected - lost,
      lost,
      unsent: 0,
    });
  });

  it.each([1, 2, 7])('send on their schedules while they are there: %i shard(s)', async (of) => {
    const { shards, entries } = await run(of, { ahead });
    expect(entries).toMatchObject({ ...faultless, lost: 0, unsent: 0 });
    for (const { echoes, first, visits } of shards) {
      visits.forEach((visit, n) => {
        const { fromMs = 0, toMs = 0 } = all[visit] ?? {};
        const sends = echoes.filter(([client]) => client === first + n).length;
        // Ten a second, between its first echo and the tick after its end.
        const periods = (Math.min(toMs, 2100) - fromMs) / 100;
        expect(Math.abs(sends - periods)).toBeLessThanOrEqual(1.2);
      });
    }
  });

  it('are timed as they arrive, by their first echo', async () => {
    const { report } = await shard(0, 1, { ahead });
    expect(valuesOf(report.samples.arrival)).toEqual(all.map(() => 6000));
    expect(report.counts).toMatchObject({ subscribers: inAll, arrived: 13, opened: staying });
  });

  it('send in a closed loop from their arrival to their end', async () => {
    const { entries, shards } = await run(2, { ahead, options: { loop: 'closed' }, answer: () => [50] });
    expect(entries).toMatchObject({ ...faultless, lost: 0, unsent: 0 });
    for (const { echoes, first, visits } of shards) {
      visits.forEach((visit, n) => {
        const { fromMs = 0, toMs = 0 } = all[visit] ?? {};
        const sends = echoes.filter(([client]) => client === first + n).length;
        expect(Math.abs(sends - (Math.min(toMs, 2100) - fromMs) / 50)).toBeLessThanOrEqual(2);
      });
    }
  });

  it('whom the target cuts have the rest of their visit unsent', async () => {
    let isCut = false;
    const stage = audienceOnStage({
      ahead: ahead && ((client) => (isCut && client === 1 ? sendFate.gone : sendFate.sent)),
      ...{ clientCount: 2, options: { clients: 1, stages: '1s:1,1s:1', durationMs: 2000 } },
    });
    await stage.stage('ramp');
    // It came at 500 ms.
    stage.at(stage.sinceStartMs() + 1003, () => {
      isCut = true;
      stage.told().closed(1, 'reset', true);
    });
    for (const name of ['echo', 'drain']) await stage.stage(name);
    const report = stage.audience.report();
    const { entries, breaks } = echoLedger.ledger({ ...report, series: {} });
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({
      visitsCut: 1,
      visitsCutByCause: { reset: 1 },
      unsentByCause: { gone: 10 },
      lost: 0,
    });
    expect(stage.gaveUp).toEqual([]);
    await expectGolden('ledger/visited-echo.txt', { 'a cut visitor': ledgerText(echoLedger.ledgerLines(entries)) });
  });
});

it('a visitor whose first echo is lost is asked again', async () => {
  const answer = (client: number, sequence: number): number[] => (sequence === client ? [] : [3]);
  const { entries, shards } = await run(1, { subscribeTimeoutMs: 211, answer });
  expect(entries).toMatchObject({ ...faultless, lost: 0, proofs: 2 * inAll, proofsLost: inAll });
  expect(shards[0]?.report.counts.subscribers).toBe(inAll);
});
