import { describe, expect, it } from 'vitest';
import { allSent } from '../../../test/stage/ahead.js';
import { type Answer, audienceOnStage, first, type Given } from '../../../test/stage/echo.js';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { sendFate } from '../../protocols/protocol.js';
import { echoLedger } from './index.js';

/** Plays every stage, with `begun` as the echoes begin, and gives the books. */
async function played(given: Given, begun?: (stage: ReturnType<typeof audienceOnStage>) => void) {
  const stage = audienceOnStage(given);
  await stage.stage('ramp');
  begun?.(stage);
  for (const name of ['echo', 'drain']) await stage.stage(name);
  const report = stage.audience.report();
  const { entries, breaks } = echoLedger.ledger({ ...report, series: {} });
  expect(breaks).toEqual([]);
  return { ...stage, report, entries: entries as Record<string, unknown> };
}

const isProof = (sequence: number): boolean => sequence < first;
const wrong: Answer = (_, n) => (isProof(n) ? [3] : n % 7 === 6 ? [] : n % 5 === 4 ? [3, 4] : [3]);

describe('echoes that clients take ahead', () => {
  it.each([
    ['a faultless target', {}],
    ['one that drops and doubles', { answer: wrong }],
    ['one that is slow', { answer: (_: number, n: number) => [isProof(n) ? 3 : 401] }],
    ['a warm-up', { options: { warmUp: 3 }, answer: wrong }],
  ])('leave at their instants, with the books of others: %s', async (_name, given) => {
    const [now, ahead] = [await played(given), await played({ ...given, ahead: allSent })];
    const { roundTripsPerSecond: _of, ...books } = ahead.entries;
    expect(now.entries).toMatchObject(books);
    expect(ahead.audience.progress()).toEqual(now.audience.progress());
    expect(new Set(valuesOf(ahead.report.samples.sendLag))).toEqual(new Set([0]));
    expect(valuesOf(ahead.report.samples.sendLag)).toHaveLength(70);
    expect(ahead.report.samples.roundTrip).toEqual(now.report.samples.roundTrip);
  });

  it.each([
    ['gone', sendFate.gone],
    ['unread', sendFate.unread],
  ])('and that do not leave are unsent: %s', async (cause, fate) => {
    let isOver = false;
    const ahead = (client: number): number => (isOver && client === 3 ? fate : sendFate.sent);
    const { entries, report, sends } = await played({ ahead }, (stage) => {
      stage.at(stage.sinceStartMs() + 503, () => {
        isOver = true;
      });
    });
    expect(report.counts.missing).toBe(0);
    expect(sends.filter(([client, sequence]) => client === 3 && !isProof(sequence))).toHaveLength(5);
    expect(entries).toMatchObject({ sent: 65, delivered: 65, lost: 0, unsent: 5, unsentByCause: { [cause]: 5 } });
  });

  it('are counted to the last when the run is ended early, if they left', async () => {
    const { entries, sends, sinceStartMs } = await played({ ahead: allSent }, (stage) => {
      stage.at(stage.sinceStartMs() + 503, () => stage.abort.abort());
    });
    const sent = sends.filter(([, sequence]) => !isProof(sequence)).length;
    expect(sent).toBeLessThan(70);
    const { delivered, lost } = entries as { delivered: number; lost: number };
    expect([entries.sent, delivered + lost, entries.unsent]).toEqual([sent, sent, 0]);
    expect(sinceStartMs()).toBeLessThan(1000);
  });
});
