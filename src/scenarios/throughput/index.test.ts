import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { naming } from '../../../test/refusal.js';
import { summarize } from '../../measure/samples/distribution.js';
import { loadOptions } from '../load-options.js';
import type { Sums } from '../scenario.js';
import { backlogOf, keepingUp, peakOf, throughput, throughputLedger } from './index.js';
import { type ThroughputOptions, throughputOptions } from './roles.js';

/** Five broadcasts to seven subscribers, one of them refused; two deliveries lost. The first second is the ramp's. */
const footing = (): Sums => ({
  counts: {
    ...{ attempted: 5, subscribers: 7, received: 26, latePublishes: 3 },
    ...{ offeredPerSecond: 2.5, achievedPerSecond: 2.4499 },
  },
  causes: {},
  series: {
    acked: Uint32Array.of(1, 1, 0, 1, 1),
    refused: Uint32Array.of(0, 0, 1, 0, 0),
    failed: new Uint32Array(5),
    delivered: Uint32Array.of(7, 5, 0, 7, 7),
    missing: Uint32Array.of(0, 2, 7, 0, 0),
  },
  timeline: { published: [0, 3, 1], received: [0, 9, 10, 7] },
  longestMs: { deliveries: 2006 },
});

describe('the backlog', () => {
  it('is what is owed and not yet there at the end of each second', () => {
    expect(backlogOf(footing())).toEqual([0, 12, 9, 2]);
  });

  it('of clients that come and go has what each broadcast owed to those that were there', () => {
    const { counts, timeline } = footing();
    // Of the three broadcasts of the second second, one each is owed to seven, to five and to eleven clients.
    const series = { owedInAll: Uint32Array.of(7, 5, 7, 11, 7), publishedInSecond: Uint32Array.of(2, 2, 0, 2, 3) };
    expect(backlogOf({ counts, timeline, series })).toEqual([0, 14, 11, 4]);
  });

  it.each([
    [[0, 12, 9, 2], { backlogPeak: 12, backlogPeakAtSecond: 2, backlogDrainedInSeconds: 2 }],
    [[7, 13, 13, 0, 0], { backlogPeak: 13, backlogPeakAtSecond: 2, backlogDrainedInSeconds: 2 }],
    [[1, 3, 5], { backlogPeak: 5, backlogPeakAtSecond: 3, backlogDrainedInSeconds: 0 }],
    [[0, 0], { backlogPeak: 0, backlogPeakAtSecond: 0, backlogDrainedInSeconds: 0 }],
    [[], { backlogPeak: 0, backlogPeakAtSecond: 0, backlogDrainedInSeconds: 0 }],
  ])('has a peak, and is drained when no more is owed than at the end: %j', (backlog, peak) => {
    expect(peakOf(backlog)).toEqual(peak);
  });

  it('is never below nothing', () => {
    const timeline = { published: [1], received: [2, 0] };
    expect(backlogOf({ counts: { subscribers: 1 }, timeline, series: {} })).toEqual([0, 0]);
    expect(backlogOf({ counts: {}, timeline: {}, series: {} })).toEqual([]);
  });
});

describe('the ledger of a throughput run', () => {
  it('foots, with its rates and the peak of the backlog', async () => {
    const { entries, breaks } = throughputLedger.ledger(footing());
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({
      ...{ attempted: 5, acked: 4, refused: 1, expected: 28, delivered: 26, lost: 2, latePublishes: 3 },
      ...{ offeredPerSecond: 2.5, achievedPerSecond: 2.4, deliveriesPerSecond: 13, backlogPeak: 12 },
    });
    await expectGolden('ledger/throughput.txt', { 'a whole run': ledgerText(throughputLedger.ledgerLines(entries)) });
    expect(throughputLedger.ledger({ counts: {}, causes: {}, series: {}, timeline: {} }).breaks).toEqual([]);
  });

  it('breaks where the seconds lack a delivery, or have one too many', () => {
    for (const off of [-1, 1]) {
      const sums = footing();
      sums.timeline.received = [0, 9, 10, 7 + off];
      expect(throughputLedger.ledger(sums).breaks).toEqual([naming('received 26', 'seconds', 26 + off)]);
    }
  });
});

describe('the demand of a throughput run', () => {
  const demand = (given: Record<string, unknown>) =>
    throughput.demand(
      throughput.options.parse({ clients: 1009, rampRatePerSecond: 250, warmUp: 3, drainMs: 1999, ...given }),
      loadOptions.parse({}),
    );

  it('has as many broadcasts as the rate makes in the duration, or as were named', () => {
    expect(demand({ ratePerSecond: 20, durationMs: 4850 })).toEqual({
      ...{ clients: 1009, publishesPerSecond: 20, payloadBytes: 200, broadcasts: 100, measuredBroadcasts: 97 },
      durationMs: 4036 + 5000 + 1999,
    });
    expect(demand({ ratePerSecond: 20, durationMs: 1, broadcasts: 7 })).toMatchObject({ broadcasts: 10 });
    expect(demand({ ratePerSecond: 0.1, durationMs: 1 })).toMatchObject({ broadcasts: 4 });
  });
});

describe('stages of a throughput run', () => {
  const refused = (given: Record<string, unknown>) =>
    throughput.contradictions?.(throughput.options.parse({ ratePerSecond: 20, warmUp: 3, ...given }));

  it('last as long as the schedule at most', () => {
    expect(refused({ stages: '5s:7', durationMs: 4850 })).toEqual([]);
    expect(refused({ stages: '5s:7,1ms:7', durationMs: 4850 })).toEqual([
      naming('--stages', '5s', '--duration', '5001ms'),
    ]);
    expect(refused({ stages: '5s:7', broadcasts: 1 })).toEqual([naming('--stages', '0.2s', '--broadcasts', '5s')]);
    expect(refused({})).toEqual([]);
  });

  it.each(['batches', 'in-process'])('need the stamp of each broadcast, which %s have not', (publish) => {
    expect(refused({ stages: '1s:7', publish })).toEqual([naming('--stages', `--publish ${publish}`)]);
    expect(refused({ publish })).toEqual([]);
  });
});

it('finds the peak of a backlog over days', () => {
  const backlog = Array.from({ length: 200_003 }, (_, second) => Math.max(0, 11 - Math.abs(second - 150_001)));
  expect(peakOf(backlog)).toEqual({ backlogPeak: 11, backlogPeakAtSecond: 150_002, backlogDrainedInSeconds: 11 });
});

interface Ran {
  /** The p50 of each second, in milliseconds. */
  seconds: number[];
  lastMs?: number;
  ledger?: object;
  /** What the marks leave of every p50. */
  leastUs?: number;
  options?: Partial<ThroughputOptions>;
}

/** What is said of a run at 200/s, of as many seconds as medians. */
function said({ seconds, lastMs = 9, ledger = {}, leastUs, options = {} }: Ran): string | undefined {
  const rate = { ratePerSecond: 200, durationMs: seconds.length * 1000 };
  const of = (ms: number) => summarize({ kind: 'raw', values: new Uint32Array(1009).fill(ms * 1000) });
  const p50 = of(seconds.toSorted((a, b) => a - b)[Math.floor(seconds.length / 2)] as number);
  const counts = { attempted: seconds.length * 200, acked: 1000, expected: 7000, lost: 0, latePublishes: 0 };
  return keepingUp(
    { delivery: p50, deliveryFromIntended: p50, deliveryAtLeast: p50, publishLag: of(0), drain: of(lastMs) },
    { ...counts, offeredPerSecond: 200, achievedPerSecond: 199.9, ...ledger },
    (us) => String(us),
    {
      options: throughputOptions.parse({ ...rate, ...options }),
      reading: () => null,
      intervalUs: () => undefined,
      medians: () => seconds.map((ms, at) => [812 + at * 1000, ms * 1000]),
      leastUs: (_metric, figure) => (figure === 'p50' ? leastUs : undefined),
    },
  );
}

const grown = (from: number, byMs: number, all = 5): number[] =>
  Array.from({ length: all }, (_, at) => 7 + Math.max(0, at + 0.5 - from) * byMs);

describe('whether the server keeps up with the rate', () => {
  it('is yes where deliveries come no later from second to second', () => {
    expect(said({ seconds: [7, 9, 8, 31, 7] })).toContain('keeps up with 200/s for all 5s');
    expect(said({ seconds: [7, 8] })).toContain('keeps up with 200/s for all 2s');
    expect(said({ seconds: [7, 8, 7, 8, 7], ledger: { attempted: 341 } })).toContain('for all 1.7s');
    expect(said({ seconds: [7, 8, 7, 8, 7], ledger: { achievedPerSecond: 151 } })).toContain('151/s that it was sent');
  });

  it('is no where they come ever later, with by how much and since when', () => {
    const whole = said({ seconds: grown(0, 250), lastMs: 1259 });
    for (const part of ['does not keep up with 200/s', 'from the first second', '250.0 ms later'])
      expect(whole).toContain(part);
    const late = said({ seconds: grown(4, 250, 10), lastMs: 1500 });
    for (const part of ['does not keep up', 'it does for 4s, then its backlog grows']) expect(late).toContain(part);
  });

  it('is no where it loses, or a backlog is left at the end', () => {
    expect(said({ seconds: [7, 7, 7, 7, 7], ledger: { lost: 700 } })).toContain('700 of 7,000');
    expect(said({ seconds: [7, 7], lastMs: 811 })).toContain('to drain');
  });

  it('is open where the marks leave nothing of the growth', () => {
    expect(said({ seconds: grown(0, 250), leastUs: 0 })).toContain('Undecided whether');
    expect(said({ seconds: grown(0, 250), leastUs: 600_000 })).toContain('does not keep up');
  });

  it('is not read from latency where visitors come and go, and not at all where nobody times deliveries', () => {
    expect(said({ seconds: grown(0, 250), options: { stages: '2s:20' } })).toContain('keeps up');
    expect(said({ seconds: grown(0, 250), options: { publish: 'batches' } })).toBeUndefined();
  });
});
