import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startNs, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { summarize } from '../../measure/samples/distribution.js';
import { broadcastState } from '../../measure/samples/recorder.js';
import { broadcastsBefore, readsPerSecond, slowClients, slowReadersAudience, slowReadersOptions } from './audience.js';
import { costOf, slowReaders, slowReadersLedger } from './index.js';

const parsed = (more: object = {}) => slowReadersOptions.parse(more);

describe('the options', () => {
  it.each(['5%', '5%:10', '5:10kb/s', '5%:0kb/s', '101%:10kb/s', '5%:10kb/s:7', ''])('take no %j', (slow) => {
    expect(slowReadersOptions.safeParse({ slow }).success).toBe(false);
  });

  it('choose exactly so many clients of a run, whatever the numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 997 }), fc.integer({ max: 49, min: 0 }), fc.nat(49), (clients, a, b) => {
        const options = parsed({ clients, slow: `${a}%:10kb/s`, stoppedShare: b / 100 });
        const { slow, stopped } = slowClients(options);
        const rates = Array.from({ length: clients }, (_, client) => readsPerSecond(options, client));
        expect(rates.filter((rate) => rate === 0)).toHaveLength(stopped);
        expect(rates.filter((rate) => rate === 10_000)).toHaveLength(slow);
        expect(rates.filter((rate) => rate === Number.POSITIVE_INFINITY)).toHaveLength(clients - slow - stopped);
      }),
    );
  });

  it('leave a healthy reader, and no library: it always reads', () => {
    const refused = (more: object, client: 'wire' | 'library' = 'wire') =>
      slowReaders.contradictions?.(parsed(more) as never, { client });
    expect(refused({})).toEqual([]);
    expect(refused({ clients: 2 })).toEqual([
      '--clients: expected a healthy reader beside --slow 5%:10kb/s and --stopped of 2 clients, received none',
    ]);
    expect(refused({}, 'library')).toEqual(['--client: expected wire, as libraries always read, received library']);
  });

  it('time the halves by their own blocks', () => {
    const times = slowReaders.blockTimes?.(parsed({ broadcasts: 7, warmUp: 3, ratePerSecond: 10 }) as never);
    expect(broadcastsBefore({ broadcasts: 7 })).toBe(3);
    expect(times).toMatchObject({
      deliveryBefore: { firstMs: 300, units: 3 },
      delivery: { firstMs: 600, units: 4 },
      publishAck: { firstMs: 300, units: 7 },
    });
  });
});

describe('the ledger', () => {
  const series = {
    acked: Uint32Array.from([1, 1, 0, 1]),
    refused: Uint32Array.from([0, 0, 1, 0]),
    failed: Uint32Array.from([0, 0, 0, 0]),
    delivered: Uint32Array.from([5, 4, 5, 3]),
    missing: Uint32Array.from([0, 1, 0, 2]),
    slowDelivered: Uint32Array.from([4, 2, 3, 2]),
    slowRead: Uint32Array.from([3, 1, 0, 0]),
    slowReadLater: Uint32Array.from([0, 1, 3, 1]),
    slowRecovered: Uint32Array.from([1, 0, 0, 1]),
    slowMissedByCut: Uint32Array.from([0, 2, 0, 1]),
    slowMissed: Uint32Array.from([0, 0, 0, 1]),
  };
  const sums = {
    counts: { attempted: 4, subscribers: 9, slowReaders: 4, slowStayed: 2, slowBack: 1, resumes: 1, recovered: 1 },
    causes: { slowCut: { 'close-code:1013': 2 }, notBack: { 'connect-timeout': 1 } },
    series,
    timeline: {},
  };

  it('counts what slow readers are owed apart from what the others are', () => {
    const { entries, breaks } = slowReadersLedger.ledger(sums);
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ expected: 15, delivered: 12, lost: 3, deliveredBefore: 9, deliveredBeside: 3 });
    expect(entries).toMatchObject({ lostBefore: 1, lostBeside: 2, slowExpected: 12, slowRead: 4, slowReadLater: 2 });
    expect(entries).toMatchObject({ slowRecovered: 2, slowLostByCut: 3, slowDropped: 1, slowReaders: 4, slowCut: 2 });
    expect(slowReadersLedger.ledgerLines(entries).slice(-3)).toEqual([
      ['slow readers', '4 = 2 stayed + 2 cut (close-code:1013 × 2)'],
      ['cut ones', '2 = 1 came back + 1 did not (connect-timeout × 1); 1 of 1 recovered'],
      [
        'owed to them',
        '12 = 4 read in time + 2 read later + 2 recovered after a cut + 3 lost by a cut + 1 not sent by the target',
      ],
    ]);
  });

  it('breaks if a delivery to a slow reader is in no count', () => {
    const wrong = { ...series, slowDelivered: Uint32Array.from([4, 2, 3, 3]) };
    expect(slowReadersLedger.ledger({ ...sums, series: wrong }).breaks).toEqual([
      'slowDelivered 9 is not read + read later + recovered = 8',
    ]);
    expect(slowReadersLedger.ledger({ ...sums, counts: { ...sums.counts, slowStayed: 3 } }).breaks).toEqual([
      'slowReaders 4 is not slowStayed + slowCut = 5',
    ]);
  });
});

describe('the cost for healthy readers', () => {
  const summary = (us: number) => summarize({ kind: 'raw', values: Uint32Array.from({ length: 1009 }, () => us) });
  const metrics = { delivery: summary(3000), deliveryBefore: summary(2000) };
  const intervals = { delivery: [2900, 3100], deliveryBefore: [1900, 2100] } as const;
  const view = {
    intervalUs: (metric: string) => intervals[metric as keyof typeof intervals],
    leastUs: (): number | undefined => undefined,
  };

  it('is a ratio with an interval, which is wider by what the rig may have added', () => {
    const cost = costOf('p50', metrics, view)!;
    expect(cost.ratio).toBeCloseTo(1.5, 9);
    expect(cost.low * cost.high).toBeCloseTo(1.5 ** 2, 9);
    const least = costOf('p50', metrics, { ...view, leastUs: (metric) => (metric === 'delivery' ? 1500 : 1000) })!;
    expect([least.low, least.high]).toEqual([cost.low / 2, cost.high * 2]);
  });

  it('is not stated without intervals', () => {
    expect(costOf('p50', metrics, { ...view, intervalUs: () => undefined })).toBeUndefined();
  });
});

const [broadcasts, warmUp] = [20, 2];

/** Seven clients at 10/s, of which number 3 reads 1 kB/s and number 6 nothing from the middle of two seconds on. */
async function played(during: (stage: ReturnType<typeof workerOnStage>, beginMs: number) => void) {
  const options = slowReadersOptions.parse({
    ...{ clients: 7, broadcasts, warmUp, ratePerSecond: 10, rampRatePerSecond: 1000, drainMs: 500 },
    ...{ slow: '14%:1kb/s', stoppedShare: 0.14 },
  });
  const stage = workerOnStage(options, { broadcasts: broadcasts + warmUp });
  const allowed: [atMs: number, client: number, bytes: number][] = [];
  let beginMs = 0;
  const { openClients } = stage.context;
  const audience = slowReadersAudience({
    ...stage.context,
    async openClients(events) {
      const clients = await openClients(events);
      clients.readAtMost = (client, bytes) => allowed.push([Math.round(stage.sinceStartMs() - beginMs), client, bytes]);
      return clients;
    },
  });
  await stage.play(audience, 'ramp');
  beginMs = stage.sinceStartMs();
  const { board } = stage.context;
  for (let n = 0; n < board.size; n++) {
    board.sentAtNs[n] = board.intendedAtNs[n] = startNs + (beginMs + n * 100) * 1e6;
    board.ackAtNs[n] = (board.sentAtNs[n] as number) + 1e6;
    board.state[n] = broadcastState.acked;
  }
  during(stage, beginMs);
  await stage.play(audience, 'publish');
  await stage.play(audience, 'drain');
  return { allowed, report: audience.report() };
}

const all = broadcasts + warmUp;
const healthy = [0, 1, 2, 4, 5];
const sum = (series: Iterable<number> = []): number => [...series].reduce((total, each) => total + each, 0);

it('lets slow readers read at their rate from the middle on, and freely in the end', async () => {
  const { allowed } = await played(() => undefined);
  const [slow, stopped] = [3, 6].map((each) => allowed.filter(([, client]) => client === each));
  expect(new Set(allowed.map(([, client]) => client))).toEqual(new Set([3, 6]));
  expect(slow![0]![0]).toBeGreaterThanOrEqual(1200);
  expect(slow![0]![0]).toBeLessThanOrEqual(1210);
  const bytes = slow!.slice(0, -1).reduce((total, [, , each]) => total + each, 0);
  // One second, and a tenth ahead of it; each of ten calls rounds up.
  expect(bytes).toBeGreaterThanOrEqual(1000);
  expect(bytes).toBeLessThanOrEqual(1110);
  expect(stopped!.slice(0, -1).every(([, , each]) => each === 0)).toBe(true);
  expect([slow, stopped].map((each) => each!.at(-1)![2])).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
});

it('counts what each kind of reader got, and when slow ones were cut', async () => {
  const { report } = await played((stage, beginMs) => {
    stage.at(beginMs + 2190, () => {
      stage.deliver(healthy, 0, all);
      stage.deliver([3, 6], 0, 15);
    });
    stage.at(beginMs + 2195, () => stage.told().closed(6, 'close-code:1013', true));
    stage.at(beginMs + 2300, () => stage.deliver([3], 15, all - 1));
  });
  const { counts, causes, series, samples } = report;
  expect(counts).toMatchObject({ subscribers: 7, slowReaders: 2, slowStayed: 1, duplicate: 0, late: 0 });
  expect(causes.slowCut).toEqual({ 'close-code:1013': 1 });
  expect([sum(series.delivered), sum(series.missing)]).toEqual([5 * broadcasts, 0]);
  expect(['slowRead', 'slowReadLater', 'slowMissedByCut', 'slowMissed'].map((name) => sum(series[name]))).toEqual([
    26, 6, 7, 1,
  ]);
  const counted = (name: string) => (samples[name]?.kind === 'raw' ? samples[name].values.length : undefined);
  expect([counted('deliveryBefore'), counted('delivery')]).toEqual([50, 50]);
  expect(samples.cutAfter).toMatchObject({ kind: 'raw', values: Uint32Array.from([995_000]) });
});

it('counts what clients that were cut got once they came back, apart from what they get live', async () => {
  const { report } = await played((stage, beginMs) => {
    stage.at(beginMs + 1100, () => stage.deliver([6], 0, 10));
    stage.at(beginMs + 1300, () => stage.told().closed(6, 'close-code:1013', true));
    stage.at(beginMs + 2190, () => {
      stage.deliver(healthy, 0, all);
      stage.deliver([3], 0, all);
      // It never gets number 13.
      stage.deliver([6], 10, 13);
      stage.deliver([6], 14, all);
    });
  });
  const { counts, causes, series } = report;
  expect(counts).toMatchObject({ slowReaders: 2, slowStayed: 1, slowBack: 1 });
  expect([causes.slowCut, causes.notBack]).toEqual([{ 'close-code:1013': 1 }, {}]);
  const [read, later, recovered, byCut, missed] = [
    ...['slowRead', 'slowReadLater', 'slowRecovered', 'slowMissedByCut', 'slowMissed'],
  ].map((name) => sum(series[name]));
  expect([later, byCut, missed]).toEqual([0, 1, 0]);
  expect(recovered).toBeGreaterThanOrEqual(3);
  expect(read! + recovered!).toBe(2 * broadcasts - 1);
});
