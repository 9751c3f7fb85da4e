import { describe, expect, it } from 'vitest';
import { startNs, valuesOf, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { broadcastState, StampTable } from '../../measure/samples/recorder.js';
import { sumCounts, sumSeries, sumTimelines } from '../../measure/samples/sample-sum.js';
import { loadOptions } from '../load-options.js';
import type { BatchAnswer } from '../scenario.js';
import { dueAtNs } from '../traffic/schedule.js';
import { throughputLedger } from './index.js';
import { requestsPerBatch, throughputAudience, throughputOptions, throughputPublisher } from './roles.js';

interface Batch {
  sequences: number[];
  ratePerSecond: number;
  atMs: number;
}

interface Given {
  publishers?: number;
  maxInFlight?: number;
  slice?: { index: number; of: number };
  /** How much longer than scheduled the target takes for a batch, or how it refuses it. */
  extraMs?: (batch: Batch) => number;
  says?: (batch: Batch) => BatchAnswer | undefined;
}

const broadcasts = 230;
const ratePerSecond = 100;

/** Plays the publish stage of one shard: 230 broadcasts at 100/s, 3 of them warm-up. */
async function play({ publishers = 3, maxInFlight = 64, slice = { index: 0, of: 1 }, ...given }: Given = {}) {
  const { extraMs = () => 0, says = () => undefined } = given;
  const options = throughputOptions.parse({
    ...{ publish: 'in-process', publishers, ratePerSecond, warmUp: 3, broadcasts: broadcasts - 3 },
  });
  const { context, clock, abort } = workerOnStage(options, { broadcasts });
  const board = new StampTable(broadcasts);
  const batches: Batch[] = [];
  const publisher = throughputPublisher({
    ...context,
    board,
    slice,
    load: loadOptions.parse({ maxInFlight }),
    until: clock.until,
    payload: String,
    publish: () => Promise.reject(new Error('nothing is published one by one')),
    async publishBatch(data, rate) {
      const batch = { sequences: data.map(Number), ratePerSecond: rate, atMs: (clock.nowNs() - startNs) / 1e6 - 500 };
      batches.push(batch);
      const tookMs = dueAtNs(data.length - 1, rate) / 1e6 + extraMs(batch);
      await clock.sleep(tookMs, abort.signal);
      return says(batch) ?? { tookMs };
    },
  });
  await clock.run(publisher.stage('ramp', startNs, abort.signal));
  await clock.run(publisher.stage('publish', startNs + 500e6, abort.signal));
  return { report: publisher.report(), progress: publisher.progress(), work: publisher.work?.(), batches, board };
}

/** When each broadcast of the batches is published that a target keeps to. */
const instants = (batches: readonly Batch[]): [sequence: number, atMs: number][] =>
  batches
    .flatMap(({ sequences, ratePerSecond: rate, atMs }) =>
      sequences.map((sequence, n): [number, number] => [sequence, atMs + dueAtNs(n, rate) / 1e6]),
    )
    .sort(([a], [b]) => a - b);

describe('batches', () => {
  it.each([1, 2, 7].flatMap((of) => [1, 3].map((publishers) => [of, publishers] as const)))(
    'of %i shard(s) with %i loop(s) are each broadcast once, on the one schedule',
    async (of, publishers) => {
      const shards = await Promise.all(
        Array.from({ length: of }, (_, index) => play({ publishers, slice: { index, of } })),
      );
      const all = instants(shards.flatMap(({ batches }) => batches));
      expect(all.map(([sequence]) => sequence)).toEqual(Array.from({ length: broadcasts }, (_, n) => n));
      for (const [sequence, atMs] of all) expect(atMs).toBeCloseTo(sequence * 10, 6);
      const sums = {
        counts: { ...sumCounts(shards.map(({ report }) => report.counts)), subscribers: 0 },
        series: sumSeries(shards.map(({ report }) => report.series)),
        timeline: sumTimelines(shards.map(({ report }) => report.timeline)),
        causes: {},
      };
      const { entries, breaks } = throughputLedger.ledger(sums);
      expect(entries).toMatchObject({ attempted: 227, acked: 227, latePublishes: 0 });
      expect(breaks).toEqual([]);
      expect(entries.offeredPerSecond).toBeCloseTo(100, 0);
      expect(entries.achievedPerSecond).toBe(entries.offeredPerSecond);
    },
  );

  it('are a second of the schedule at most, and leave when the first of them is due', async () => {
    const { batches } = await play({ publishers: 1 });
    expect(batches.map(({ sequences, atMs }) => [sequences[0], sequences.length, atMs])).toEqual([
      [0, 100, 0],
      [100, 100, 1000],
      [200, 30, 2000],
    ]);
    expect(requestsPerBatch(0.3, 200)).toBe(1);
    expect(requestsPerBatch(100_000, 1_000_000)).toBe(1);
    for (const payloadBytes of [64, 997, 100_003])
      expect(requestsPerBatch(100_000, payloadBytes) * (2 * payloadBytes + 3)).toBeLessThanOrEqual(512 * 1024);
  });

  it('wait for no answer below the bound in flight, and are counted as late above it', async () => {
    const extraMs = ({ sequences }: Batch): number => (sequences[0] === 0 ? 503 : 0);
    expect((await play({ publishers: 1, extraMs })).report.counts.latePublishes).toBe(0);
    const { report, batches } = await play({ publishers: 1, extraMs, maxInFlight: 1 });
    // The first batch is answered at 1493 ms: the second, due at 1000, waits; the third has no end by 2000.
    expect(batches.map(({ atMs }) => atMs)).toEqual([0, 1493, 2483]);
    expect(report.counts.latePublishes).toBe(130);
  });

  it('are all that is achieved, by the time that the target says it took', async () => {
    const { report } = await play({ publishers: 1, extraMs: ({ sequences }) => (sequences.length === 30 ? 2003 : 0) });
    // 227 measured ones from 30 ms to 2290 + 2003 ms, and an interval for the last.
    expect(report.counts.achievedPerSecond).toBeCloseTo((227 * 1000) / (2290 + 2003 - 30 + 10), 6);
    expect(report.counts.offeredPerSecond).toBeCloseTo(100, 6);
  });

  it('stamp nothing: no send, no time to an answer, no course of what was published', async () => {
    const { report, progress, work, board } = await play();
    expect(board.sentAtNs.every((atNs) => atNs === 0)).toBe(true);
    expect(board.state.every((state) => state === broadcastState.acked)).toBe(true);
    expect(valuesOf(report.samples.publishAck)).toEqual([]);
    expect(progress).toEqual({});
    // By which the rig's own loop is seen to have a load.
    expect(work).toEqual({ published: 230, acked: 230 });
    expect(report.timeline).toEqual({ due: [50, 100, 80] });
    expect(report.counts.batches).toBe(9);
  });

  it.each<[BatchAnswer, string, string]>([
    [503, 'refused', 'http-status:503'],
    ['reset', 'failed', 'reset'],
  ])('are not acked as a whole: %s', async (answer, entry, cause) => {
    const { report } = await play({
      publishers: 1,
      says: ({ sequences }) => (sequences[0] === 100 ? answer : undefined),
    });
    const { entries, breaks } = throughputLedger.ledger({ ...report, counts: { ...report.counts, subscribers: 0 } });
    expect(entries).toMatchObject({ attempted: 227, acked: 127, [entry]: 100 });
    expect(breaks).toEqual([]);
    expect(report.causes.publish).toEqual({ [cause]: 100 });
  });
});

describe('a run of batches', () => {
  it('counts deliveries, and times none, not even those of its own shard', async () => {
    const options = throughputOptions.parse({ publish: 'in-process', broadcasts: 11, warmUp: 0, clients: 7 });
    const worker = workerOnStage(options, { broadcasts: 11 });
    const audience = throughputAudience(worker.context);
    const all = [0, 1, 2, 3, 4, 5, 6];
    // 4 comes before 3.
    worker.at(1000, () => worker.deliver(all, 4, 11));
    worker.at(1011, () => worker.deliver(all, 0, 4));
    worker.context.board.state.fill(broadcastState.acked);
    worker.context.board.ackAtNs.fill(startNs + 7);
    for (const name of ['ramp', 'publish', 'drain']) await worker.play(audience, name);
    const { counts, samples } = audience.report();
    expect(counts).toMatchObject({ received: 77, clockFaults: 0, outOfOrder: 0, duplicate: 0 });
    for (const name of ['delivery', 'deliveryFromIntended', 'deliveryAtLeast', 'drain'])
      expect(valuesOf(samples[name])).toEqual([]);
  });
});
