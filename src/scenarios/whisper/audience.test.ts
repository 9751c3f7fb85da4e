import { describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { audienceOnStage, type Given } from '../../../test/stage/whisper.js';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { slotTimes } from '../../measure/paired/slots.js';
import { blockOf, blocksOf } from '../../measure/samples/blocks.js';
import { sumCounts, sumSeries } from '../../measure/samples/sample-sum.js';
import { shareOf, shareStart } from '../../measure/share.js';
import { none, total } from '../books/ledger.js';
import { roundsOfSends } from '../traffic/send-schedule.js';
import { whisperLedger } from './index.js';
import { Rooms } from './rooms.js';

const noFaults = { unsent: 0, duplicate: 0, late: 0, stray: 0, untimed: 0 };

/** Plays every stage, and gives the books. */
async function played(given: Given = {}) {
  const stage = audienceOnStage(given);
  for (const name of ['ramp', 'whisper', 'drain']) await stage.stage(name);
  const report = stage.audience.report();
  return { ...stage, report, ...whisperLedger.ledger(report) };
}

// Rooms of 4 and 3: a round of whispers of all seven reaches 4 × 3 + 3 × 2 others.
const aRound = 18;

describe('the ramp of whispering clients', () => {
  it('takes each into the room of its number', async () => {
    const { stage, streams, audience } = audienceOnStage({ firstClient: 10, totalClients: 17 });
    await stage('ramp');
    const rooms = [2, 2, 3, 3, 3, 3, 4];
    expect(streams).toEqual(rooms.map((room) => `spring-${room}`));
    expect(audience.progress()).toMatchObject({ subscribers: 7 });
  });
});

describe('whispers of a target of known behaviour', () => {
  it('that is faultless: each reaches all others in its room, warm-up in no book', async () => {
    const { entries, breaks, report, sends } = await played();
    expect(breaks).toEqual([]);
    expect(sends).toHaveLength(7 * 6);
    expect(entries).toMatchObject({ ...noFaults, sent: 35, expected: 5 * aRound, delivered: 5 * aRound, lost: 0 });
    expect(valuesOf(report.samples.delivery)).toEqual(Array(5 * aRound).fill(3000));
    expect(valuesOf(report.samples.publishLag)).toHaveLength(35);
    expect(report.counts).toMatchObject({ subscribers: 7, received: 6 * aRound, clockFaults: 0 });
    const [total] = [report.timeline.received?.reduce((sum, each) => sum + each, 0)];
    expect(total).toBe(6 * aRound);
  });

  it('that is slow: the next is sent all the same', async () => {
    const prompt = await played();
    const slow = await played({ answer: () => [409] });
    expect(slow.sends).toEqual(prompt.sends);
    expect(slow.entries).toMatchObject({ delivered: 5 * aRound, lost: 0 });
    for (const us of valuesOf(slow.report.samples.deliveryFromIntended)) expect(us).toBeGreaterThanOrEqual(409_000);
  });

  it('that drops and doubles: to the last', async () => {
    const rooms = new Rooms(7, 4, 6);
    let lost = 0;
    let twice = 0;
    const { entries, breaks, report } = await played({
      answer: ({ sequence }, receiver) => {
        const key = sequence * 7 + receiver;
        const isMeasured = rooms.numberOf(sequence) >= 1;
        if (key % 5 === 4) {
          if (isMeasured) lost++;
          return [];
        }
        if (key % 3 !== 2) return [3];
        if (isMeasured) twice++;
        return [3, 4];
      },
    });
    expect(breaks).toEqual([]);
    expect(lost * twice).toBeGreaterThan(0);
    expect(entries).toMatchObject({ ...noFaults, delivered: 5 * aRound - lost, lost, duplicate: twice });
    expect(valuesOf(report.samples.delivery)).toHaveLength(5 * aRound - lost);
  });

  it('that delivers after the drain: late, and lost', async () => {
    const { audience, deliver, stage, sends } = audienceOnStage({
      answer: ({ sequence }, receiver) => (sequence === 3 && receiver === 2 ? [] : [3]),
    });
    for (const name of ['ramp', 'whisper', 'drain']) await stage(name);
    expect(sends.filter(({ sequence }) => sequence === 3)).toHaveLength(1);
    deliver([2], 3, 4);
    const { entries, breaks } = whisperLedger.ledger(audience.report());
    expect([entries.late, entries.lost, breaks]).toEqual([1, 1, []]);
  });

  it('that lets whispers out of their room, or back to their sender: strays', async () => {
    const { audience, deliver, stage } = audienceOnStage();
    for (const name of ['ramp', 'whisper']) await stage(name);
    // Client 0's second whisper, to itself, to another room and to nobody's client; and one that was never sent.
    for (const client of [0, 5]) deliver([client], 1, 2);
    deliver([1], 999_999_999, 1_000_000_000);
    const { entries, breaks } = whisperLedger.ledger(audience.report());
    expect([entries.stray, breaks]).toEqual([3, []]);
  });

  it('that cuts a client: it sends no more, and is owed what others send', async () => {
    const stage = audienceOnStage();
    await stage.stage('ramp');
    stage.at(stage.sinceStartMs() + 1, () => stage.told().closed(3, 'reset', true));
    for (const name of ['whisper', 'drain']) await stage.stage(name);
    const report = stage.audience.report();
    const { entries, breaks } = whisperLedger.ledger(report);
    expect(breaks).toEqual([]);
    const { offeredPerSecond = 0, achievedPerSecond = 0 } = report.counts;
    // The rig kept the schedule of all who were there.
    expect(achievedPerSecond / offeredPerSecond).toBeCloseTo(1, 2);
    const sent = entries.sent as number;
    expect(sent + (entries.unsent as number)).toBe(35);
    // The stage passes everything on to it that it no longer hears: the test's target knows no cut.
    expect(entries.expected).toBe(entries.delivered as number);
  });

  it('that cut a client in the ramp: it is owed nothing', async () => {
    const stage = audienceOnStage({ answer: (_, receiver) => (receiver === 3 ? [] : [3]) });
    await stage.stage('ramp');
    stage.told().closed(3, 'reset', true);
    for (const name of ['whisper', 'drain']) await stage.stage(name);
    const { entries, breaks } = whisperLedger.ledger(stage.audience.report());
    // Twice three clients whisper to two others each.
    expect([entries.expected, entries.delivered, breaks]).toEqual([5 * 12, 5 * 12, []]);
    expect(entries).toMatchObject({ sent: 30, unsent: 5, lost: 0 });
  });

  it('gives up when nobody is left', async () => {
    const stage = audienceOnStage({ clientCount: 2 });
    await stage.stage('ramp');
    stage.at(stage.sinceStartMs() + 103, () => {
      for (const client of [0, 1]) stage.told().closed(client, 'reset', true);
    });
    await stage.stage('whisper');
    expect(stage.gaveUp).toEqual([{ code: 'targetGone', evidence: naming('reset') }]);
  });
});

describe('whispers in the slots of a paired comparison', () => {
  const [rounds, warmUp, targets, slotMs] = [5, 2, 3, 40];
  const slotsMs = Array.from({ length: targets }, () => slotMs);
  const slots = { beginNs: slotTimes({ seed: 7, rounds: rounds + warmUp, slotsMs }, 1), slotMs };
  const options = roundsOfSends({ rounds, warmUp, roundMs: targets * slotMs });

  it('are one of each client in a round, and counted by round', async () => {
    const rooms = new Rooms(7, 4, rounds + warmUp);
    const isLost = (sequence: number, receiver: number): boolean =>
      rooms.senderOf(sequence, receiver) === 2 && rooms.numberOf(sequence) === warmUp + 3;
    const { report, sends, entries, breaks } = await played({
      options,
      slots,
      answer: ({ sequence }, receiver) => (isLost(sequence, receiver) ? [] : [3]),
    });
    expect(breaks).toEqual([]);
    expect(sends).toHaveLength(7 * (rounds + warmUp));
    const lost = [0, 0, 0, 3, 0];
    expect([...(report.series.missing ?? [])]).toEqual(lost);
    expect([...(report.series.delivered ?? [])]).toEqual(lost.map((each) => aRound - each));
    expect(entries).toMatchObject({ expected: rounds * aRound, lost: 3 });
    for (const metric of ['delivery', 'deliveryAtLeast']) {
      const blocks = report.series[blocksOf(metric)] ?? none;
      const timed = lost.map((_, round) => total(blockOf(blocks, round, rounds)));
      expect(timed).toEqual(lost.map((each) => aRound - each));
    }
  });
});

describe('rooms that lie over several workers', () => {
  it.each([1, 2, 3, 7])('have the books of one: split over %i', async (of) => {
    const clients = 29;
    const whole = await played({ clientCount: clients, options: { rampRatePerSecond: 1000 } });
    // What each worker hears of the others arrives before its drain ends, as its stage says nothing of theirs.
    const stages = Array.from({ length: of }, (_, index) =>
      audienceOnStage({
        clientCount: shareOf(clients, index, of),
        totalClients: clients,
        firstClient: shareStart(clients, index, of),
        options: { rampRatePerSecond: 1000 },
      }),
    );
    for (const { stage } of stages) for (const name of ['ramp', 'whisper']) await stage(name);
    for (const [index, { sends }] of stages.entries()) {
      for (const { stream, sequence } of sends) {
        stages.forEach((other, at) => {
          const there = [...other.streams.keys()].filter((client) => at !== index && other.streams[client] === stream);
          if (there.length > 0) other.deliver(there, sequence, sequence + 1);
        });
      }
    }
    for (const { stage } of stages) await stage('drain');
    const reports = stages.map(({ audience }) => audience.report());
    const { entries, breaks } = whisperLedger.ledger({
      counts: sumCounts(reports.map(({ counts }) => counts)),
      series: sumSeries(reports.map(({ series }) => series)),
      causes: {},
      timeline: {},
    });
    expect(breaks).toEqual([]);
    const { delivered: came = none, missing = none } = sumSeries(reports.map(({ series }) => series));
    expect([total(came), total(missing)]).toEqual([Number(entries.delivered) - Number(entries.untimed), 0]);
    const { untimed, deliveriesPerSecond: _, ...rest } = entries;
    const { untimed: untimedByOne, deliveriesPerSecond: __, ...books } = whole.entries;
    expect(rest).toEqual(books);
    const timed = reports.reduce((sum, { samples }) => sum + valuesOf(samples.delivery).length, 0);
    expect([untimedByOne, timed + (untimed as number)]).toEqual([0, books.delivered]);
    expect((untimed as number) > 0).toBe(of > 1);
  });
});
