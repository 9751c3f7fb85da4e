import { describe, expect, it } from 'vitest';
import { startNs, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { Board, broadcastState } from '../../measure/samples/board.js';
import { sumCounts, sumSeries } from '../../measure/samples/sums.js';
import { broadcastLedger } from '../broadcasts/ledger.js';
import { loadOptions } from '../load-options.js';
import type { PublisherContext } from '../scenario.js';
import { type ThroughputOptions, throughputOptions } from './options.js';
import { batchPublishing, ThroughputPublisher } from './publisher.js';

interface Given {
  publishers?: number;
  broadcasts?: number;
  maxInFlight?: number;
  slice?: { index: number; of: number };
  /** How long the target takes to answer a broadcast, and what it says. */
  answerMs?: (sequence: number) => number;
  says?: (sequence: number) => number | string;
}

/** Plays the publish stage of one shard, 500 ms after its ramp began, at 100 broadcasts per second. */
async function play({ publishers = 4, broadcasts = 40, maxInFlight = 8, ...given }: Given = {}) {
  const { answerMs = () => 1, says = () => 201, slice = { index: 0, of: 1 } } = given;
  const options = throughputOptions.parse({ publishers, broadcasts, warmUp: 0, ratePerSecond: 100 });
  const { context, clock, abort } = workerOnStage(options, { broadcasts });
  const board = new Board(broadcasts);
  const sends: [sequence: number, atMs: number][] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const publisher = new ThroughputPublisher({
    ...context,
    board,
    slice,
    load: loadOptions.parse({ maxInFlight }),
    until: clock.until,
    payload: (sequence) => String(sequence),
    async publish(data, events) {
      events?.sent?.();
      sends.push([Number(data), (clock.nowNs() - startNs) / 1e6 - 500]);
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      await clock.sleep(answerMs(Number(data)), abort.signal);
      inFlight--;
      return says(Number(data));
    },
  });
  await clock.run(publisher.stage('ramp', startNs, abort.signal));
  await clock.run(publisher.stage('publish', startNs + 500e6, abort.signal));
  return { report: publisher.report(), sends, mostInFlight, board };
}

const evenly = (count: number): [number, number][] => Array.from({ length: count }, (_, n) => [n, n * 10]);

describe('several publish loops', () => {
  it.each([1, 2, 4, 7, 100])('of a prompt target are the schedule of one: %i', async (publishers) => {
    const { sends, report } = await play({ publishers });
    expect(sends).toEqual(evenly(40));
    expect(report.counts).toMatchObject({ attempted: 40, latePublishes: 0 });
    expect(report.counts.offeredPerSecond).toBeCloseTo(100, 9);
    expect(report.counts.achievedPerSecond).toBeCloseTo(100, 9);
  });

  it.each([1, 2, 3, 7])('dealt over %i shards are the schedule of one', async (of) => {
    const shards = await Promise.all(Array.from({ length: of }, (_, index) => play({ slice: { index, of } })));
    expect(shards.flatMap(({ sends }) => sends).sort(([a], [b]) => a - b)).toEqual(evenly(40));
    const counts = sumCounts(shards.map(({ report }) => report.counts));
    const series = sumSeries(shards.map(({ report }) => report.series));
    expect(broadcastLedger.ledger({ counts, series })).toMatchObject({
      entries: { attempted: 40, acked: 40 },
      breaks: [],
    });
  });

  it('share the bound in flight: a slow answer holds back its own loop alone', async () => {
    // One answer at a time for each loop; that of broadcast 5, of the second loop, takes 211 ms.
    const given: Given = { maxInFlight: 4, answerMs: (sequence) => (sequence === 5 ? 211 : 1) };
    const { sends, report, mostInFlight } = await play(given);
    const late = sends.filter(([sequence, atMs]) => atMs > sequence * 10);
    expect(late.map(([sequence]) => sequence)).toEqual([9, 13, 17, 21, 25]);
    expect(late[0]).toEqual([9, 261]);
    expect(report.counts.latePublishes).toBe(5);
    expect(mostInFlight).toBeLessThanOrEqual(4);
    expect((await play({ ...given, publishers: 1 })).report.counts.latePublishes).toBe(0);
  });

  it('are no more than the bound in flight', async () => {
    const { mostInFlight, sends } = await play({ publishers: 100, maxInFlight: 3, answerMs: () => 97 });
    expect(mostInFlight).toBe(3);
    expect(sends).toHaveLength(40);
  });

  it('achieve the rate between the first and the last that left, whichever that was', async () => {
    const { report, board } = await play({ maxInFlight: 4, answerMs: (sequence) => (sequence % 4 === 1 ? 103 : 1) });
    const sent = [...board.sentAtNs];
    expect(report.counts.achievedPerSecond).toBeCloseTo(40e9 / (Math.max(...sent) - Math.min(...sent) + 10e6), 9);
    expect(report.counts.achievedPerSecond).toBeLessThan(50);
  });
});

describe('the timeline of publishes', () => {
  it('has what was due and what was published and acked, by the second since the ramp', async () => {
    const { report } = await play({ broadcasts: 230, says: (sequence) => (sequence % 10 === 0 ? 503 : 201) });
    expect(report.timeline).toEqual({ due: [50, 100, 80], published: [45, 90, 72] });
  });

  it('has nothing of what was never sent', () => {
    const { context, clock } = workerOnStage(throughputOptions.parse({ warmUp: 0 }), { broadcasts: 7 });
    const publish = async (): Promise<number> => 201;
    const publisher = new ThroughputPublisher({ ...context, until: clock.until, payload: String, publish });
    expect(publisher.report().timeline).toEqual({ due: [], published: [] });
    expect(context.board.state.every((state) => state === broadcastState.unsent)).toBe(true);
  });
});

/** The way to publish at an address that takes 10 at once and answers like that, and the batches that left. */
function wayTo(answer: number | string) {
  const left: (readonly string[])[] = [];
  const together = {
    most: 10,
    publish: async (data: readonly string[]) => {
      left.push(data);
      return answer;
    },
  };
  const context = { together, payload: (sequence: number) => `m${sequence}` };
  return { way: batchPublishing(context as unknown as PublisherContext<ThroughputOptions>), left };
}

it('puts what falls due in a second into one request, but one at least and no more than it can hold', () => {
  const { way } = wayTo(200);
  expect([0.3, 1, 7.9, 10, 97].map((rate) => way.batchOf(rate))).toEqual([1, 1, 7, 10, 10]);
});

it('publishes the data of its broadcasts, all at the time of the answer', async () => {
  const { way, left } = wayTo(200);
  expect(await way.publishBatch([3, 7, 11], 4)).toEqual({ tookMs: 0 });
  expect(left).toEqual([['m3', 'm7', 'm11']]);
});

it('hands a refusal and a cause on', async () => {
  for (const answer of [199, 300, 413, 'connect-refused'])
    expect(await wayTo(answer).way.publishBatch([3], 1)).toBe(answer);
});
