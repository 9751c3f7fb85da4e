import { describe, expect, it } from 'vitest';
import { startNs, valuesOf, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { broadcastState } from '../../measure/samples/board.js';
import { longestOf, sumCounts, sumSeries } from '../../measure/samples/sums.js';
import { share } from '../../measure/share.js';
import { arrivalMetrics, broadcastMetrics } from '../metrics.js';
import { ThroughputAudience } from './audience.js';
import { throughput } from './index.js';
import { throughputLedger } from './ledger.js';
import { throughputOptions } from './options.js';

const all = [0, 1, 2, 3, 4, 5, 6];

/** Seven subscribers of a shard that publishes broadcast n at 1000 + 100 n ms, each answered at once. */
function onStage(broadcasts = 11) {
  const options = throughputOptions.parse({
    subscribers: 7,
    broadcasts,
    warmUp: 0,
    drainMs: 5003,
    rampRatePerSecond: 1000,
  });
  const worker = workerOnStage(options, { broadcasts });
  const { board } = worker.context;
  const audience = new ThroughputAudience(worker.context);
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
    const options = throughputOptions.parse({ subscribers, broadcasts, ratePerSecond, warmUp: 0, drainMs: 60_000 });
    const dueMs = (sequence: number): number => 1000 + (sequence * 1000) / ratePerSecond;
    let freeMs = 0;
    const outMs = Array.from({ length: broadcasts }, (_, n) => {
      freeMs = Math.max(freeMs, dueMs(n)) + busyMs;
      return freeMs;
    });
    const reports = [];
    for (let index = 0; index < of; index++) {
      const clientCount = share(subscribers, index, of);
      const worker = workerOnStage(options, { clientCount, totalClients: subscribers, broadcasts });
      const { board } = worker.context;
      const audience = new ThroughputAudience({ ...worker.context, slice: { index, of } });
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

describe('the declaration of the throughput scenario', () => {
  it('names every distribution that a worker records, and the figure of those that are ready', () => {
    const { audience } = onStage();
    expect(audience.progress()).toHaveProperty('subscribers');
    const { samples, counts } = audience.report();
    const declared = [...Object.keys(broadcastMetrics), 'drain', ...Object.keys(arrivalMetrics)];
    expect(Object.keys(throughput.metrics)).toEqual(declared);
    expect(Object.keys(throughput.metrics)).toEqual(expect.arrayContaining(Object.keys(samples)));
    expect(counts).toHaveProperty('subscribers');
  });
});
