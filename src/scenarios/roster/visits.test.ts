import { describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { broadcasts, staying, visitedOnStage } from '../../../test/stage/visits.js';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { StampTable } from '../../measure/samples/recorder.js';
import { attendanceOf } from './visits.js';

/** Broadcasts every 100 ms that are sent within the three visits, 5 ms of connecting and up to 5 ms of looking off. */
const owedToVisitors = 38 + 20 + 10;
const faultless = { visits: 3, visitsEnded: 2, visitsStayed: 1, visitsCut: 0, visitsFailed: 0, visitsUnready: 0 };

describe('visitors of a target that delivers everything', () => {
  it('come and go by their stages, and are owed what was sent meanwhile', async () => {
    const { played, opens, drops } = visitedOnStage();
    const { report, ledger } = await played();
    const expected = staying * broadcasts + owedToVisitors;
    expect(ledger.breaks).toEqual([]);
    expect(ledger.entries).toMatchObject({ ...faultless, expected, delivered: expected, lost: 0, visitsNotDue: 0 });
    expect(opens.map(([client]) => client)).toEqual([0, 1, 2, 3, 5, 4]);
    expect(drops).toEqual(['4 close', '5 close']);
    expect(report.timeline).toMatchObject({ opened: [3], arrived: [2, 1], left: [0, 0, 2] });
  });

  it('are counted and timed as they arrive; the ramp has the others alone', async () => {
    const { played, audience } = visitedOnStage();
    const { report } = await played();
    expect(report.counts).toMatchObject({ asked: 6, opened: 3, arrived: 3, subscribers: 6 });
    expect(valuesOf(report.samples.arrival)).toEqual([5000, 5000, 5000]);
    expect(valuesOf(report.samples.arrivalAtLeast)).toEqual([5000, 5000, 5000]);
    expect(valuesOf(report.samples.connect)).toHaveLength(3);
    expect(valuesOf(report.samples.delivery)).toHaveLength(staying * broadcasts + owedToVisitors);
    expect(audience.progress()).toMatchObject({ subscribers: 4, visitors: 1 });
  });

  it('get what is under way before they leave, and are owed nothing that is sent after their time', async () => {
    // Of client 4, whose time ends at 2250 ms: what leaves at 2200 ms comes 190 ms late.
    const isLate = (client: number, sequence: number): boolean => client === 4 && sequence === 22;
    const { played, drops, deliver } = visitedOnStage({ isDropped: isLate });
    const { ledger } = await played((at) => {
      at(2389, () => expect(drops).toEqual([]));
      at(2390, () => deliver([4], 22, 23));
      at(2396, () => expect(drops).toEqual(['4 close']));
    });
    // The broadcast of 2300 ms.
    expect(ledger.entries).toMatchObject({ ...faultless, lost: 0, unowed: 1 });
    expect(ledger.breaks).toEqual([]);
  });

  it('leave after one drain without what does not come, and it is lost', async () => {
    const isDropped = (client: number, sequence: number): boolean => client === 4 && sequence === 22;
    const { played, drops } = visitedOnStage({ isDropped });
    const { ledger } = await played((at) => {
      at(2740, () => expect(drops).toEqual([]));
    });
    expect(drops).toEqual(['4 close', '5 close']);
    expect(ledger.entries).toMatchObject({ ...faultless, lost: 1 });
  });
});

describe('visitors of a target with faults', () => {
  it('lose what is dropped while they are there, and nothing else', async () => {
    const { ledger } = await visitedOnStage({ isDropped: (_, sequence) => sequence === 20 }).played();
    expect(ledger.entries).toMatchObject({ ...faultless, lost: staying + 3 });
    const before = await visitedOnStage({ isDropped: (client, sequence) => client === 3 && sequence < 3 }).played();
    expect(before.ledger.entries).toMatchObject({ ...faultless, lost: 0 });
    expect([...ledger.breaks, ...before.ledger.breaks]).toEqual([]);
  });

  it('that are cut stay owed until the planned end of their visit', async () => {
    const { played, told } = visitedOnStage();
    const { ledger, report } = await played((at) => at(1310, () => told().closed(5, 'reset', true)));
    // Of client 5, who was to stay until 2750 ms: broadcasts 14 to 27.
    expect(ledger.entries).toMatchObject({ visitsEnded: 1, visitsStayed: 1, visitsCut: 1, lost: 14 });
    expect(ledger.entries.visitsCutByCause).toEqual({ reset: 1 });
    expect(report.causes.close).toEqual({ reset: 1 });
    expect(ledger.breaks).toEqual([]);
  });

  it('that are refused, or not ready in their time, are owed nothing', async () => {
    const welcome = (client: number) =>
      client === 3 ? { refusal: 'http-status:503' } : client === 5 ? { isMute: true } : {};
    const { ledger } = await visitedOnStage({ welcome, subscribeTimeoutMs: 5003 }).played();
    expect(ledger.entries).toMatchObject({ visitsFailed: 1, visitsUnready: 1, visitsEnded: 1, lost: 0 });
    expect(ledger.entries.visitsFailedByCause).toEqual({ 'http-status:503': 1 });
    expect(ledger.breaks).toEqual([]);
  });

  it('that are not confirmed for so long have failed', async () => {
    const { ledger } = await visitedOnStage({
      welcome: (client) => ({ isMute: client === 3 }),
      subscribeTimeoutMs: 499,
    }).played();
    expect(ledger.entries.visitsFailedByCause).toEqual({ 'subscribe-timeout': 1 });
  });

  it('are awaited when all others were cut; without them the worker gives up', async () => {
    const stage = visitedOnStage();
    const { gaveUp, told } = stage;
    await stage.played((at) => {
      at(310, () => [0, 1, 2].forEach((client) => void told().closed(client, 'reset', true)));
      at(320, () => expect(gaveUp).toEqual([]));
      at(3010, () => told().closed(3, 'end-of-stream', true));
    });
    expect(gaveUp).toEqual([{ code: 'targetGone', evidence: naming('end-of-stream') }]);
  });
});

it('a run that is ended leaves those who were to come not due', async () => {
  const { played, abort } = visitedOnStage();
  const { ledger } = await played((at) => at(510, () => abort.abort()));
  expect(ledger.entries).toMatchObject({ visits: 3, visitsStayed: 1, visitsNotDue: 2 });
});

const startNs = 7e9;
const at = (ms: number): number => startNs + ms * 1e6;
const numbers = Array.from({ length: 23 }, (_, sequence) => sequence);

/** Broadcasts every 100 ms, sent 3 ms late by this shard; client 2 is a visitor from 310 to 1690 ms. */
function attendance(slice = { index: 0, of: 1 }) {
  const board = new StampTable(23);
  for (let sequence = slice.index; sequence < 23; sequence += slice.of)
    board.sentAtNs[sequence] = at(sequence * 100 + 3);
  const made = attendanceOf({ board, slice, clientCount: 4, options: { ratePerSecond: 10 } }, 2);
  made.begin(startNs);
  made.admit(2, at(310), at(1690));
  return { board, owed: (client: number) => numbers.filter((sequence) => made.isOwed(client, sequence)), made };
}

describe('what is owed', () => {
  it('to a client that stays is everything', () => {
    expect(attendance().owed(1)).toEqual(numbers);
  });

  it('to a visitor is what was sent while it was there, ends included', () => {
    const { made, owed } = attendance();
    expect(owed(2)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
    made.admit(2, at(403), at(1603));
    expect(owed(2)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  });

  it('to a visitor that never came is nothing', () => {
    expect(attendance().owed(3)).toEqual([]);
  });

  it('to a visitor that stays to the end is all that was sent since, and nothing unsent', () => {
    const { made, owed, board } = attendance();
    board.sentAtNs[20] = 0;
    made.admit(2, at(1700), Number.POSITIVE_INFINITY);
    expect(owed(2)).toEqual([17, 18, 19, 21, 22]);
  });

  it('of another shard is what it sent within the visit even if it started half a second apart', () => {
    expect(attendance({ index: 23, of: 29 }).owed(2)).toEqual([9, 10, 11]);
  });
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
