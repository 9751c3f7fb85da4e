import { describe, expect, it } from 'vitest';
import { startNs, valuesOf, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { broadcastState, StampTable } from '../../measure/samples/recorder.js';
import { longestOf, sumCounts, sumSeries } from '../../measure/samples/sample-sum.js';
import { shareOf } from '../../measure/share.js';
import { loadOptions } from '../load-options.js';
import type { PublisherContext } from '../scenario.js';
import { throughputLedger } from './index.js';
import {
  batchPublishing,
  type ThroughputOptions,
  throughputAudience,
  throughputOptions,
  throughputPublisher,
} from './roles.js';

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
  const board = new StampTable(broadcasts);
  const sends: [sequence: number, atMs: number][] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const publisher = throughputPublisher({
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
    const publisher = throughputPublisher({ ...context, until: clock.until, payload: String, publish });
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

const all = [0, 1, 2, 3, 4, 5, 6];

/** Seven subscribers of a shard that publishes broadcast n at 1000 + 100 n ms, each answered at once. */
function onStage(broadcasts = 11) {
  const options = throughputOptions.parse({
    clients: 7,
    broadcasts,
    warmUp: 0,
    drainMs: 5003,
    rampRatePerSecond: 1000,
  });
  const worker = workerOnStage(options, { broadcasts });
  const { board } = worker.context;
  const audience = throughputAudience(worker.context);
  const sentAtNs = (sequence: number): number => startNs + 1e9 + sequence * 100e6;
  for (let sequence = 0; sequence < broadcasts; sequence++) {
    board.intendedAtNs[sequence] = board.sentAtNs[sequence] = board.ackAtNs[sequence] = sentAtNs(sequence);
    board.state[sequence] = broadcastState.acked;
  }
  return { ...worker, audience, stage: (name: string) => worker.play(audience, name) };
}

/** Plays a run in which broadcast n arrives `lagMs(n)` after its publish, at all. */
async function played(lagMs: (sequence: number) => number) {
  const stage = onStage();
  for (let n = 0; n < 11; n++) stage.at(1000 + 100 * n + lagMs(n), () => stage.deliver(all, n, n + 1));
  for (const name of ['ramp', 'publish', 'drain']) await stage.stage(name);
  return stage.audience.report();
}

describe('what reaches subscribers', () => {
  it('is told by the second, and adds up to what was received', async () => {
    const { timeline, counts, longestMs } = await played((n) => 7 + 100 * n);
    // At 1007, 1207, … 3007 ms.
    expect(timeline.received).toEqual([0, 35, 35, 7]);
    expect(counts).toMatchObject({ received: 77, subscribers: 7, duplicate: 0 });
    expect(longestMs).toEqual({ deliveries: expect.closeTo(2007 + 1000 / 100, 6) });
  });

  it('drains from the last publish to the last delivery', async () => {
    const { samples } = await played((n) => (n === 4 ? 1511 : 7));
    // Broadcast 4 arrives at 2911 ms; the last was published at 2000 ms.
    expect(valuesOf(samples.drain)).toEqual([911_000]);
  });

  it('has drained at once when the last delivery came before the last publish', async () => {
    const { samples, counts } = await played((n) => (n === 10 ? 100_000 : 7));
    expect(valuesOf(samples.drain)).toEqual([0]);
    expect(counts.received).toBe(70);
  });

  it('counts in no second what came twice, or late', async () => {
    const stage = onStage();
    for (const atMs of [2003, 2011]) stage.at(atMs, () => stage.deliver(all, 0, 10));
    for (const name of ['ramp', 'publish', 'drain']) await stage.stage(name);
    stage.deliver(all, 10, 11);
    const { timeline, counts, samples } = stage.audience.report();
    expect(timeline.received).toEqual([0, 0, 70]);
    expect(counts).toMatchObject({ received: 70, duplicate: 70, late: 7 });
    expect(valuesOf(samples.drain)).toEqual([3000]);
  });

  it('of nothing has no rate and no drain', async () => {
    const { audience } = onStage();
    const { longestMs, samples, timeline } = audience.report();
    expect([longestMs, valuesOf(samples.drain), timeline.received]).toEqual([{ deliveries: 0 }, [], []]);
  });
});

describe('a run over several shards', () => {
  const [subscribers, broadcasts, ratePerSecond] = [29, 17, 5];

  /** What the shards report of a target that takes `busyMs` per broadcast. */
  async function split(of: number, busyMs: number) {
    const options = throughputOptions.parse({
      clients: subscribers,
      broadcasts,
      ratePerSecond,
      warmUp: 0,
      drainMs: 60_000,
    });
    const dueMs = (sequence: number): number => 1000 + (sequence * 1000) / ratePerSecond;
    let freeMs = 0;
    const outMs = Array.from({ length: broadcasts }, (_, n) => {
      freeMs = Math.max(freeMs, dueMs(n)) + busyMs;
      return freeMs;
    });
    const reports = [];
    for (let index = 0; index < of; index++) {
      const clientCount = shareOf(subscribers, index, of);
      const worker = workerOnStage(options, { clientCount, totalClients: subscribers, broadcasts });
      const { board } = worker.context;
      const audience = throughputAudience({ ...worker.context, slice: { index, of } });
      for (let n = index; n < broadcasts; n += of) {
        board.intendedAtNs[n] = board.sentAtNs[n] = board.ackAtNs[n] = startNs + dueMs(n) * 1e6;
        board.state[n] = broadcastState.acked;
      }
      const everybody = Array.from({ length: clientCount }, (_, client) => client);
      outMs.forEach((atMs, n) => void worker.at(atMs, () => worker.deliver(everybody, n, n + 1)));
      for (const name of ['ramp', 'publish', 'drain']) await worker.play(audience, name);
      reports.push(audience.report());
    }
    const drains = reports.flatMap(({ samples }) => valuesOf(samples.drain));
    const sums = {
      ...{ counts: sumCounts(reports.map(({ counts }) => counts)), causes: {}, timeline: {} },
      series: sumSeries(reports.map(({ series }) => series)),
      longestMs: longestOf(reports.map(({ longestMs = {} }) => longestMs)),
    };
    return { drains, deliveriesPerSecond: throughputLedger.ledger(sums).entries.deliveriesPerSecond };
  }

  it.each([1, 2, 7])('drains at once where nothing piled up: %i shard(s) at 5/s', async (of) => {
    const { drains } = await split(of, 3);
    expect(drains).toEqual(new Array(of).fill(3000));
  });

  it.each([1, 2, 7])('drains as long as its backlog takes: %i shard(s) at 5/s', async (of) => {
    const { drains } = await split(of, 331);
    // Each of the sixteen intervals leaves 131 ms; a shard's last broadcast comes at most six before the run's last.
    expect(Math.max(...drains)).toBe(16 * 131_000 + 331_000);
    expect(Math.min(...drains)).toBe((17 - of) * 131_000 + 331_000);
  });

  it.each([1, 2, 7])('delivers at one rate: %i shard(s) at 5/s', async (of) => {
    const { deliveriesPerSecond } = await split(of, 3);
    // Each shard's own time lasts from its own first publish on, and the last broadcast stands for an interval.
    expect(deliveriesPerSecond).toBeCloseTo((subscribers * broadcasts) / (17 / ratePerSecond + 0.003), 1);
  });
});
