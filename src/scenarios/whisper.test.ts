import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { law } from '../../../test/law.js';
import { naming } from '../../../test/refusal.js';
import { allSent } from '../../../test/stage/ahead.js';
import { audienceOnStage, type Given } from '../../../test/stage/whisper.js';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { sendFate } from '../../protocols/protocol.js';
import { loadOptions } from '../load-options.js';
import { whisper, whisperLedger } from './index.js';
import { Rooms, roomAtMost } from './rooms.js';

/** Two rooms of three and two; the first sender lost one delivery of six. */
const footing = () => ({
  counts: { attempted: 13, unsent: 1, untimed: 2 } as Record<string, number>,
  causes: { unsent: { gone: 1 } } as Record<string, Record<string, number>>,
  timeline: {},
  longestMs: { deliveries: 3003 },
  series: {
    sends: Uint32Array.of(3, 3, 3, 2, 2),
    peers: Uint32Array.of(2, 2, 2, 1, 1),
    heard: Uint32Array.of(5, 6, 6, 2, 2),
    marked: Uint32Array.of(5, 6, 6, 2, 2),
  },
});

describe('the ledger of whispers', () => {
  it('foots', async () => {
    const { entries, breaks } = whisperLedger.ledger(footing());
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ sent: 13, expected: 22, delivered: 21, lost: 1 });
    await expectGolden('ledger/whisper.txt', { 'a whole run': ledgerText(whisperLedger.ledgerLines(entries)) });
    expect(whisperLedger.ledger({ counts: {}, causes: {}, series: {}, timeline: {} }).breaks).toEqual([]);
  });

  it.each(['heard', 'marked', 'sends'] as const)('breaks when a count of %s is off by one', (name) => {
    for (const off of [-1, 1]) {
      const sums = footing();
      const series = sums.series[name];
      series[3] = (series[3] as number) + off;
      expect(whisperLedger.ledger(sums).breaks).not.toEqual([]);
    }
  });

  it('breaks when what was not sent has other causes', () =>
    expect(whisperLedger.ledger({ ...footing(), causes: { unsent: { unread: 3 } } }).breaks).toEqual([
      naming('unsent 1', 'causes', 3),
    ]));

  it('breaks when more were sent than senders tell', () => {
    const sums = footing();
    sums.counts.attempted = 14;
    expect(whisperLedger.ledger(sums).breaks).toEqual([naming('sent 14', 'senders', 13)]);
  });
});

describe('the declaration of the whisper scenario', () => {
  it('demands the ramp, the schedule with its warm-up, and the drain', () => {
    const options = whisper.options.parse({
      ...{ clients: 1009, rampRatePerSecond: 250, durationMs: 7000, ratePerSecond: 2, warmUp: 3, drainMs: 1999 },
    });
    expect(whisper.demand(options, loadOptions.parse({}))).toMatchObject({
      clients: 1009,
      publishesPerSecond: 0,
      durationMs: 4036 + 8500 + 1999,
    });
  });

  it('refuses a room whose whispers are too many to number, and one alone that has so many clients', () => {
    const of = (clients: number, room: number) =>
      whisper.contradictions?.(
        whisper.options.parse({ clients, room, ratePerSecond: 1000, durationMs: 101_000, warmUp: 1 }),
      );
    expect(of(10_000, 9901)).toEqual([naming('--room:', 9900, '101,001', 9901)]);
    expect([of(10_000, 9900), of(2, 10_000), of(9900, 10_000)]).toEqual([[], [], []]);
    expect(of(9901, 10_000)).toHaveLength(1);
  });

  it('names every distribution that a worker records, and the figure of those that are ready', () => {
    const { audience } = audienceOnStage();
    expect(audience.progress()).toHaveProperty('subscribers');
    const { samples, counts } = audience.report();
    expect(Object.keys(samples).sort()).toEqual(Object.keys(whisper.metrics).sort());
    expect(counts).toHaveProperty('subscribers');
  });
});

const shapes = fc.record({
  total: fc.integer({ min: 2, max: 100_000 }),
  size: fc.integer({ min: 2, max: 1000 }),
  sendsEach: fc.integer({ min: 1, max: 1_000_000 }),
});

describe('the numbers of whispers', () => {
  it('name their sender and which of its whispers it is to everybody in the room, and fit nine digits', () =>
    law(shapes, fc.nat(), fc.nat(), fc.nat(), ({ total, size, sendsEach }, a, b, c) => {
      const rooms = new Rooms(total, size, sendsEach);
      const sender = a % total;
      const number = b % sendsEach;
      expect(rooms.size).toBe(Math.min(size, total));
      const base = rooms.roomOf(sender) * rooms.size;
      const receiver = base + (c % Math.min(size, total - base));
      const sequence = rooms.sequenceOf(sender, number);
      expect(sequence).toBeLessThan(1e9);
      expect(rooms.numberOf(sequence)).toBe(number);
      expect(rooms.senderOf(sequence, receiver)).toBe(sender === receiver ? -1 : sender);
    }));

  it('name nobody to another room', () => {
    const rooms = new Rooms(101, 10, 7);
    for (let sender = 0; sender < 101; sender++) {
      for (let receiver = 0; receiver < 101; receiver++) {
        const isHeard = sender !== receiver && rooms.roomOf(sender) === rooms.roomOf(receiver);
        expect(rooms.senderOf(rooms.sequenceOf(sender, 3), receiver)).toBe(isHeard ? sender : -1);
      }
    }
    // Client 104 would be in the last room, were there so many.
    expect(rooms.senderOf(104 * 7, 100)).toBe(-1);
  });

  it('that a room has too few of are refused', () => {
    expect(() => new Rooms(20, 10, 100_000_001)).toThrow(RangeError);
    expect(new Rooms(20, 10, 100_000_000).senderOf(900_000_000, 10)).toBe(19);
    expect([roomAtMost(100_000_001), roomAtMost(100_000_000)]).toEqual([9, 10]);
  });

  it('are those of a room that is no larger than the audience', () => {
    const rooms = new Rooms(2, 10_000, 101_001);
    expect([rooms.size, rooms.roomOf(0), rooms.roomOf(1)]).toEqual([2, 0, 0]);
    expect(rooms.senderOf(rooms.sequenceOf(1, 101_000), 0)).toBe(1);
  });
});

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
