import { describe, expect, it } from 'vitest';
import { type Answer, type Given, type Played, play, prompt, startNs } from '../../../test/stage/publisher.js';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { broadcastState } from '../../measure/samples/recorder.js';
import { sumCounts, sumSeries } from '../../measure/samples/sample-sum.js';
import { broadcastLedger } from '../books/ledger.js';
import type { RoleReport } from '../scenario.js';
import { takesNone } from './broadcasts.js';

const evenly = (count: number): [number, number][] => Array.from({ length: count }, (_, n) => [n, n * 200]);
const values = ({ samples }: RoleReport, metric = 'publishAck'): number[] => valuesOf(samples[metric]);

describe('the schedule of a publisher', () => {
  it('is even, and the same whatever the target takes to answer', async () => {
    for (const afterMs of [0, 1, 199, 599]) {
      const { sends, report } = await play({ answer: () => ({ afterMs, says: 201 }) });
      expect(sends).toEqual(evenly(7));
      expect(report.counts).toMatchObject({ attempted: 7, latePublishes: 0 });
      expect(values(report)).toEqual(Array(7).fill(afterMs * 1000));
    }
  });

  it('stamps when each was wanted, sent and answered', async () => {
    const { board } = await play({ answer: (sequence) => ({ afterMs: 11 * sequence, says: 200 }) });
    for (let sequence = 0; sequence < 7; sequence++) {
      const dueNs = startNs + sequence * 200e6;
      expect(board.intendedAtNs[sequence]).toBe(dueNs);
      expect([board.sentAtNs[sequence], board.writtenAtNs[sequence]]).toEqual([dueNs, dueNs]);
      expect(board.ackAtNs[sequence]).toBe(dueNs + 11e6 * sequence);
    }
  });

  it('counts an answer from its write to when it can have been readable, and the queue before as lag', async () => {
    const { report } = await play({ answer: () => ({ afterMs: 31, says: 200, queuedMs: 7, lyingMs: 11 }) });
    expect(values(report)).toEqual(Array(7).fill(31_000));
    expect(values(report, 'publishAckAtLeast')).toEqual(Array(7).fill(20_000));
    expect(values(report, 'publishLag')).toEqual(Array(7).fill(7000));
  });

  it('knows nothing of an answer that lay longer than the publish takes', async () => {
    const { report } = await play({ answer: () => ({ afterMs: 3, says: 200, lyingMs: 11 }) });
    expect(values(report, 'publishAckAtLeast')).toEqual(Array(7).fill(0));
  });

  it.each([1, 2, 3, 7, 13])('dealt over %d shards is the schedule of one', async (of) => {
    const given = { warmUp: 3, broadcasts: 31, ratePerSecond: 17 };
    const shards = await Promise.all(
      Array.from({ length: of }, (_, index) => play({ ...given, slice: { index, of } })),
    );
    const sends = shards.flatMap((shard) => shard.sends).sort(([a], [b]) => a - b);
    expect(sends).toEqual((await play(given)).sends);
    const counts = sumCounts(shards.map(({ report }) => report.counts));
    const series = sumSeries(shards.map(({ report }) => report.series));
    expect(counts.attempted).toBe(31);
    expect([...(series.acked ?? [])]).toEqual(Array(31).fill(1));
    expect([counts.offeredPerSecond, counts.achievedPerSecond]).toEqual([expect.closeTo(17, 9), expect.closeTo(17, 9)]);
  });
});

describe('a publisher over its bound in flight', () => {
  const freeze = (sequence: number): Answer => ({ afterMs: sequence < 3 ? 1999 : 1, says: 200 });
  const behind = ({ sends }: Played): number => sends.filter(([sequence, atMs]) => atMs > sequence * 200).length;

  it('holds what is due, sends it as soon as an answer is there, and counts it as late', async () => {
    const played = await play({ broadcasts: 13, answer: freeze });
    // Three leave at 0, 200 and 400 ms; from the first answer at 1999 ms the rest go one by one, 1 ms apart.
    const caughtUp = [3, 4, 5, 6, 7, 8, 9, 10].map((sequence) => [sequence, 1996 + sequence]);
    expect(played.sends).toEqual([...evenly(3), ...caughtUp, [11, 2200], [12, 2400]]);
    expect(played.report.counts).toMatchObject({ attempted: 13, latePublishes: 8 });
    expect(behind(played)).toBe(8);
    expect(played.mostInFlight).toBe(3);
  });

  it('counts as late all that fell due meanwhile, also when all answers come at once', async () => {
    const answer = (sequence: number): Answer => ({ afterMs: sequence < 3 ? 1999 - 200 * sequence : 1, says: 200 });
    const played = await play({ broadcasts: 13, answer });
    expect(played.sends.slice(3, 6)).toEqual([3, 4, 5].map((sequence) => [sequence, 1999]));
    expect(played.report.counts.latePublishes).toBe(behind(played));
    expect(behind(played)).toBe(8);
  });

  it('keeps the intended instants of what it sends late', async () => {
    const { board } = await play({ broadcasts: 13, answer: freeze });
    expect(board.intendedAtNs[7]).toBe(startNs + 1400e6);
    expect(board.sentAtNs[7]).toBeGreaterThanOrEqual(startNs + 1999e6);
  });
});

describe('the first publishes of a schedule', () => {
  const notTaken = async (given: Given): Promise<number> => (await play(given)).figures.notTaken ?? 0;
  const never = (says: number | string) => (): Answer => ({ afterMs: 1, says });

  it('are told as not taken: ten, however long the warm-up, dealt as all are', async () => {
    for (const says of [404, 'connect-refused', 'answer-timeout']) {
      for (const warmUp of [0, 7, 23]) expect(await notTaken({ warmUp, broadcasts: 31, answer: never(says) })).toBe(10);
      const shards = [0, 1, 2].map((index) => ({ slice: { index, of: 3 }, broadcasts: 31, answer: never(says) }));
      expect((await Promise.all(shards.map(notTaken))).reduce((sum, each) => sum + each)).toBe(10);
    }
  });

  it('are not where the target took them, where the rig could not send them, or where the run ended', async () => {
    expect(await notTaken({ broadcasts: 31 })).toBe(0);
    for (const says of ['ports-exhausted', 'descriptors-exhausted', 'ours'])
      expect(await notTaken({ broadcasts: 31, answer: never(says) })).toBe(0);
  });
});

describe('the answers to publishes', () => {
  const mixed = (sequence: number): Answer => {
    if (sequence % 5 === 1) return { afterMs: 3, says: 500 };
    if (sequence % 5 === 2) return { afterMs: 3, says: 'answer-timeout' };
    if (sequence % 5 === 3) return { afterMs: 3, says: 'connect-refused', isUnsent: true };
    return { afterMs: 3, says: sequence % 2 === 0 ? 200 : 204 };
  };

  it('are acked, refused or failed, and add up', async () => {
    const { report, board } = await play({ warmUp: 5, broadcasts: 20, answer: mixed });
    expect([...board.state].slice(5, 10)).toEqual([2, 3, 4, 4, 2]);
    const ofWarmUp = { 'http-status:500': 1, 'answer-timeout': 1, 'connect-refused': 1 };
    expect(report.causes).toEqual({
      publish: { 'http-status:500': 4, 'answer-timeout': 4, 'connect-refused': 4 },
      warmUp: ofWarmUp,
    });
    expect(values(report)).toEqual(Array(8).fill(3000));
    const { entries, breaks } = broadcastLedger.ledger(report);
    expect(entries).toMatchObject({ attempted: 20, acked: 8, refused: 4, failed: 8 });
    expect(breaks).toEqual([]);
  });

  it.each([
    [199, 'refused'],
    [200, 'acked'],
    [299, 'acked'],
    [302, 'refused'],
    [404, 'refused'],
    ['reset', 'failed'],
  ] as const)('of %s are %s', async (says, where) => {
    const { report } = await play({ broadcasts: 3, answer: () => ({ afterMs: 1, says }) });
    expect([...(report.series[where] ?? [])]).toEqual([1, 1, 1]);
  });

  it('to warm-up broadcasts are in no book', async () => {
    const { report } = await play({ warmUp: 3, broadcasts: 1, answer: mixed });
    expect(report.counts.attempted).toBe(1);
    expect(report.series.acked).toHaveLength(1);
    expect(report.causes.publish).toEqual({ 'connect-refused': 1 });
  });

  it('add up after an abort in the middle, with answers still out', async () => {
    const answer = (): Answer => ({ afterMs: 499, says: 200 });
    const { report, endMs, board } = await play({ broadcasts: 13, answer, abortAtNs: 1101e6 });
    const { entries, breaks } = broadcastLedger.ledger(report);
    // Nobody need wait for the others.
    expect([...board.state].map((state) => state === broadcastState.never)).toEqual([
      ...Array(6).fill(false),
      ...Array(7).fill(true),
    ]);
    // Sent at 0, 200, … 1000 ms; the answers to the last two were out.
    expect(entries).toMatchObject({ attempted: 6, acked: 4, refused: 0, failed: 2 });
    expect(report.causes).toEqual({ publish: { ours: 2 }, warmUp: {} });
    expect(breaks).toEqual([]);
    expect(endMs).toBe(1101);
  });

  it('add up after an abort while one waits for its turn, which is neither sent nor late', async () => {
    const answer = (): Answer => ({ afterMs: 9973, says: 200 });
    const { report, endMs } = await play({ maxInFlight: 2, answer, abortAtNs: 701e6 });
    expect(broadcastLedger.ledger(report)).toMatchObject({
      entries: { attempted: 2, acked: 0, failed: 2 },
      breaks: [],
    });
    expect(report.counts.latePublishes).toBe(0);
    expect(endMs).toBe(701);
  });
});

describe('the rates of a publisher', () => {
  it('are apart when publishes were held to the end', async () => {
    const { report } = await play({ broadcasts: 11, maxInFlight: 1, answer: () => ({ afterMs: 400, says: 200 }) });
    expect(report.counts.offeredPerSecond).toBeCloseTo(5, 9);
    expect(report.counts.achievedPerSecond).toBeCloseTo(11 / 4.2, 9);
  });

  it.each(['connect-refused', 'connect-timeout', 'reset'])(
    'tell apart what found no target (%s), wherever that was in the schedule',
    async (says) => {
      for (const [from, to] of [
        [3, 8],
        [0, 5],
        [6, 11],
      ] as const) {
        const answer = (sequence: number): Answer =>
          sequence >= from && sequence < to ? { afterMs: 1, says, isUnsent: true } : prompt();
        const { report } = await play({ broadcasts: 11, answer });
        expect(report.counts.offeredPerSecond).toBeCloseTo(5, 9);
        expect(report.counts.achievedPerSecond).toBeCloseTo(6 / 2.2, 9);
        expect(report.counts.unmetPerSecond).toBeCloseTo(5 / 2.2, 9);
        expect(broadcastLedger.ledger(report)).toMatchObject({
          entries: { attempted: 11, acked: 6, refused: 0, failed: 5 },
          breaks: [],
        });
        expect(report.causes.publish).toEqual({ [says]: 5 });
      }
    },
  );

  it.each(['ports-exhausted', 'descriptors-exhausted'])(
    'are apart when the rig itself could not send (%s): offered is what the schedule wanted',
    async (says) => {
      const answer = (sequence: number): Answer =>
        sequence % 2 === 1 ? { afterMs: 1, says, isUnsent: true } : prompt();
      const { report } = await play({ broadcasts: 11, answer });
      expect(report.counts).toMatchObject({ offeredPerSecond: expect.closeTo(5, 9), unmetPerSecond: 0, withheld: 5 });
      expect(report.counts.achievedPerSecond).toBeCloseTo(6 / 2.2, 9);
    },
  );

  it('are told of a single publish, which stands for one interval', async () => {
    const rates = { offeredPerSecond: 5, achievedPerSecond: 5, unmetPerSecond: 0 };
    expect((await play({ broadcasts: 1 })).report.counts).toEqual({ attempted: 1, latePublishes: 0, ...rates });
  });

  it('are zero achieved where no target was found, and where the rig could send nothing', async () => {
    const rates = async (says: string) => {
      const { report } = await play({ answer: () => ({ afterMs: 1, says, isUnsent: true }) });
      return [report.counts.offeredPerSecond, report.counts.achievedPerSecond, report.counts.unmetPerSecond];
    };
    expect(await rates('connect-refused')).toEqual([expect.closeTo(5, 9), 0, expect.closeTo(5, 9)]);
    expect(await rates('ports-exhausted')).toEqual([expect.closeTo(5, 9), 0, 0]);
  });
});

describe('a target that takes no publish', () => {
  it('is told by the first ten, however short or long the warm-up', () => {
    expect(takesNone({ published: 11, acked: 0, notTaken: 10 })).toMatch(/\b10\b/);
    expect(takesNone({ published: 11, acked: 0, notTaken: 9 })).toBeUndefined();
  });

  it('is none that took one, or that has yet to answer one of the first', () => {
    expect(takesNone({ acked: 1, notTaken: 10 })).toBeUndefined();
    expect(takesNone({ published: 97, acked: 0, notTaken: 6 })).toBeUndefined();
    expect(takesNone({})).toBeUndefined();
  });
});
