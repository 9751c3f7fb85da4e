import { describe, expect, it } from 'vitest';
import { type Given, playedSenders } from '../../../test/stage/senders.js';
import { echo } from '../echo.js';

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
