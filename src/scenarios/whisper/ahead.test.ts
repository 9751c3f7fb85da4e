import { describe, expect, it } from 'vitest';
import { allSent } from '../../../test/stage/ahead.js';
import { audienceOnStage, type Given } from '../../../test/stage/whisper.js';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { sendFate } from '../../protocols/protocol.js';
import { whisperLedger } from './index.js';

/** Plays every stage, with `begun` as the whispers begin, and gives the books. */
async function played(given: Given, begun?: (stage: ReturnType<typeof audienceOnStage>) => void) {
  const stage = audienceOnStage(given);
  await stage.stage('ramp');
  begun?.(stage);
  for (const name of ['whisper', 'drain']) await stage.stage(name);
  const report = stage.audience.report();
  const { entries, breaks } = whisperLedger.ledger(report);
  expect(breaks).toEqual([]);
  return { ...stage, report, entries: entries as Record<string, unknown> };
}

describe('whispers that clients take ahead', () => {
  const wrong: Given['answer'] = ({ sequence }, receiver) =>
    [[], [3, 4], [3], [3], [3]][(sequence * 7 + receiver) % 5] as number[];

  it.each([
    ['a faultless target', {}],
    ['one that drops and doubles', { answer: wrong }],
    ['no warm-up', { options: { warmUp: 0 } }],
  ])('leave at their instants, with the books of others: %s', async (_name, given: Given) => {
    const [now, ahead] = [await played(given), await played({ ...given, ahead: allSent })];
    const { deliveriesPerSecond: _of, ...books } = ahead.entries;
    expect(now.entries).toMatchObject(books);
    expect(ahead.audience.progress()).toEqual(now.audience.progress());
    expect(new Set(valuesOf(ahead.report.samples.publishLag))).toEqual(new Set([0]));
    expect(ahead.report.samples.delivery).toEqual(now.report.samples.delivery);
  });

  it.each([
    ['gone', sendFate.gone],
    ['unread', sendFate.unread],
  ])('and that do not leave are unsent: %s', async (cause, fate) => {
    const ahead = (client: number): number => (client === 3 ? fate : sendFate.sent);
    const { entries } = await played({ ahead });
    // Client 3 has a room with three others.
    expect(entries).toMatchObject({ sent: 30, expected: 75, delivered: 75, unsent: 5, unsentByCause: { [cause]: 5 } });
  });

  it('are counted to the last when the run is ended early, if they left', async () => {
    const { entries, sends } = await played({ ahead: allSent }, (stage) => {
      stage.at(stage.sinceStartMs() + 303, () => stage.abort.abort());
    });
    const measured = sends.filter(({ sequence }) => sequence % 6 >= 1).length;
    expect(measured).toBeLessThan(35);
    expect([entries.sent, entries.unsent]).toEqual([measured, 0]);
  });
});
