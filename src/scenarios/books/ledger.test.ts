import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { naming } from '../../../test/refusal.js';
import { visitedOnStage } from '../../../test/stage/visits.js';
import { broadcastState, Recorder, StampTable } from '../../measure/samples/recorder.js';
import { sumCounts, sumSeries } from '../../measure/samples/sample-sum.js';
import { shareOf, shareStart } from '../../measure/share.js';
import type { RoleReport, Sums } from '../scenario.js';
import { Deliveries } from './deliveries.js';
import { broadcastLedger, check, readerOf, total, visitLedger } from './ledger.js';

it('a total is that of a list, of a series and of counts by cause', () => {
  expect([total([3, 7]), total(Uint32Array.of(3, 7, 11)), total({ reset: 3, ours: 2 }), total()]).toEqual([
    10, 21, 5, 0,
  ]);
});

it('books break where a whole is not its parts', () => {
  expect(check(7, 'cut', 7, 'back + not back')).toEqual([]);
  expect(check(7, 'cut', 5, 'back + not back')).toEqual([naming('cut 7', 'back + not back = 5')]);
});

it('entries are read in words; what is not there is none', () => {
  const { number, of, causes } = readerOf({ lost: 1009, byCause: { reset: 3 }, none: {} });
  expect([number('lost'), of('lost'), of('late'), causes('byCause'), causes('none'), causes('other')]).toEqual([
    ...[1009, '1,009', '0', ' (reset × 3)', '', ''],
  ]);
});

type Books = Pick<RoleReport, 'counts' | 'series'>;

/** Five broadcasts to seven subscribers: three acked, one refused, one failed. */
const footing = (): { counts: Record<string, number>; series: Record<string, Uint32Array> } => ({
  counts: { attempted: 5, subscribers: 7, duplicate: 2, outOfOrder: 3, late: 1 },
  series: {
    acked: Uint32Array.of(1, 1, 0, 0, 1),
    refused: Uint32Array.of(0, 0, 1, 0, 0),
    failed: Uint32Array.of(0, 0, 0, 1, 0),
    delivered: Uint32Array.of(7, 5, 4, 0, 6),
    missing: Uint32Array.of(0, 2, 3, 7, 1),
  },
});

describe('broadcastLedger', () => {
  it('foots', () => {
    const { counts, series } = footing();
    expect(broadcastLedger.ledger({ counts, series })).toEqual({
      entries: {
        attempted: 5,
        acked: 3,
        refused: 1,
        failed: 1,
        expected: 21,
        delivered: 18,
        lost: 3,
        duplicate: 2,
        outOfOrder: 3,
        late: 1,
      },
      breaks: [],
    });
  });

  it.each(['attempted', 'subscribers'])('breaks when the count %s is one off', (name) => {
    for (const off of [-1, 1]) {
      const { counts, series } = footing();
      counts[name] = (counts[name] as number) + off;
      expect(broadcastLedger.ledger({ counts, series }).breaks).toHaveLength(1);
    }
  });

  it.each([
    ['acked', 0],
    ['acked', 2],
    ['refused', 3],
    ['failed', 1],
    ['delivered', 1],
    ['missing', 4],
  ])('breaks when the series %s is one too high at %d', (name, at) => {
    const { counts, series } = footing();
    const values = series[name] as Uint32Array;
    values[at] = (values[at] as number) + 1;
    expect(broadcastLedger.ledger({ counts, series }).breaks).not.toEqual([]);
  });

  it('says which sum does not come out, with both sides', () => {
    const { counts, series } = footing();
    expect(broadcastLedger.ledger({ counts: { ...counts, attempted: 11, subscribers: 13 }, series }).breaks).toEqual([
      naming('attempted 11', 'acked + refused + failed = 5'),
      naming('expected 39', 'delivered + lost = 21'),
    ]);
  });

  it('owes nobody what was not acked', () => {
    const { counts, series } = footing();
    for (const name of ['delivered', 'missing']) {
      const values = series[name] as Uint32Array;
      values[2] = 0;
      values[3] = 0;
    }
    expect(broadcastLedger.ledger({ counts, series }).breaks).toEqual([]);
  });
});

const clients = 13;
const warmUp = 2;
const broadcasts = 19;

interface World {
  deliveries: { client: number; sequence: number }[];
  /** How many of the deliveries come before the drain ends. */
  inTime: number;
  /** Of each broadcast: acked, refused or failed. */
  outcomes: ('acked' | 'refused' | 'failed')[];
}

const worlds: fc.Arbitrary<World> = fc.record({
  deliveries: fc.array(
    fc.record({ client: fc.nat({ max: clients - 1 }), sequence: fc.nat({ max: warmUp + broadcasts - 1 }) }),
    { maxLength: 401 },
  ),
  inTime: fc.nat({ max: 401 }),
  outcomes: fc.array(fc.constantFrom('acked', 'refused', 'failed'), { minLength: broadcasts, maxLength: broadcasts }),
});

/** The books of one worker: the deliveries of clients `first` to `first + count - 1`, under numbers of its own. */
function audienceBooks({ deliveries, inTime }: World, first: number, count: number, slice: Slice): Books {
  const board = new StampTable(warmUp + broadcasts);
  for (let sequence = 0; sequence < board.size; sequence++) {
    board.sentAtNs[sequence] = 3e9 + sequence;
    board.ackAtNs[sequence] = 3e9 + sequence;
    board.state[sequence] = broadcastState.acked;
  }
  const recorder = () => new Recorder();
  const arrivals = new Deliveries({ clientCount: count, options: { warmUp }, board, slice, recorder });
  for (let client = 0; client < count; client++) arrivals.admit(client);
  deliveries.forEach(({ client, sequence }, n) => {
    if (n === inTime) arrivals.close();
    if (client < first || client >= first + count) return;
    arrivals.take({
      count: 1,
      notBeforeNs: Float64Array.of(5e9),
      client: Int32Array.of(client - first),
      sequence: Int32Array.of(sequence),
      receivedAtNs: Float64Array.of(5e9),
      flags: new Uint8Array(1),
    });
  });
  return arrivals.report();
}

type Slice = { index: number; of: number };

/** The books of one shard's publisher: every k-th of the broadcasts. */
function publisherBooks({ outcomes }: World, { index, of }: Slice): Books {
  const isOurs = (broadcast: number): boolean => (broadcast + warmUp) % of === index;
  const where = (outcome: string): Uint32Array =>
    Uint32Array.from(outcomes, (each, broadcast) => (isOurs(broadcast) && each === outcome ? 1 : 0));
  return {
    counts: { attempted: outcomes.filter((_, broadcast) => isOurs(broadcast)).length },
    series: { acked: where('acked'), refused: where('refused'), failed: where('failed') },
  };
}

function merged(list: readonly Books[]): Books {
  return { counts: sumCounts(list.map((each) => each.counts)), series: sumSeries(list.map((each) => each.series)) };
}

/** One run of the world over so many shards and workers, merged as shards and driver do it. */
function run(world: World, shards: number, workers: number): Books {
  return merged(
    Array.from({ length: shards }, (_shard, index) => {
      const slice = { index, of: shards };
      const first = shareStart(clients, index, shards);
      const count = shareOf(clients, index, shards);
      const audience = Array.from({ length: workers }, (_worker, worker) =>
        audienceBooks(world, first + shareStart(count, worker, workers), shareOf(count, worker, workers), slice),
      );
      return merged([publisherBooks(world, slice), ...audience]);
    }),
  );
}

/** Order is judged, and time taken, among a shard's own broadcasts: more shards see less of both. */
const withoutOrder = (books: Books): Books => ({
  counts: { ...books.counts, outOfOrder: 0 },
  series: withoutBlocks(books.series),
});

const withoutBlocks = (series: Books['series']): Books['series'] =>
  Object.fromEntries(Object.entries(series).filter(([name]) => !name.endsWith('Blocks')));

describe('a run split over shards and workers', { timeout: 60_000 }, () => {
  it('has the ledger of the undivided run, and it foots', () => {
    fc.assert(
      fc.property(worlds, fc.constantFrom(1, 2, 3, 7, 13), fc.constantFrom(1, 2, 3, 7), (world, shards, workers) => {
        const whole = withoutOrder(run(world, 1, 1));
        const split = withoutOrder(run(world, shards, workers));
        const ledger = broadcastLedger.ledger(split);
        expect(split).toEqual(whole);
        expect(ledger).toEqual(broadcastLedger.ledger(whole));
        expect(ledger.breaks).toEqual([]);
      }),
      { numRuns: 31 },
    );
  });

  it('over workers alone has its order, too', () => {
    fc.assert(
      fc.property(worlds, fc.constantFrom(2, 3, 7, 13), (world, workers) => {
        const [split, whole] = [run(world, 1, workers), run(world, 1, 1)];
        expect({ ...split, series: withoutBlocks(split.series) }).toEqual({
          ...whole,
          series: withoutBlocks(whole.series),
        });
      }),
      { numRuns: 31 },
    );
  });
});

/** Five broadcasts, one of them refused, to seven subscribers and eleven visitors; three deliveries lost. */
const visitFooting = (): Sums => ({
  counts: {
    ...{ attempted: 5, subscribers: 18, unowed: 4, visits: 11, arrived: 7 },
    ...{ visitsEnded: 4, visitsStayed: 2, visitsCut: 1, visitsFailed: 3, visitsUnready: 1, visitsNotDue: 0 },
  },
  causes: { arrive: { reset: 1, 'http-status:503': 2 }, close: { reset: 2 }, visitCut: { reset: 1 } },
  series: {
    acked: Uint32Array.of(1, 1, 0, 1, 1),
    refused: Uint32Array.of(0, 0, 1, 0, 0),
    owed: Uint32Array.of(7, 9, 11, 13, 10),
    delivered: Uint32Array.of(7, 9, 0, 11, 9),
    missing: Uint32Array.of(0, 0, 11, 2, 1),
  },
  timeline: {},
});

it('the ledger of visits expects what was owed of each acked broadcast, and says what came of each visit', async () => {
  const { entries, breaks } = visitLedger.ledger(visitFooting());
  expect(breaks).toEqual([]);
  expect(entries).toMatchObject({ expected: 39, delivered: 36, lost: 3, visits: 11, visitsFailed: 3, unowed: 4 });
  const quiet = (await visitedOnStage().played()).ledger.entries;
  await expectGolden('ledger/visits.txt', {
    'a run with faults': ledgerText(visitLedger.ledgerLines(entries)),
    'a run without': ledgerText(visitLedger.ledgerLines(quiet)),
  });
});

it('the ledger of visits breaks where a visit has no end, or one that nobody began', () => {
  const ended = visitFooting();
  ended.counts.visitsEnded = 5;
  expect(visitLedger.ledger(ended).breaks).toEqual([naming('visits 11', 12), naming('arrived 7', 8)]);
  const failed = visitFooting();
  failed.causes.arrive = { reset: 1 };
  expect(visitLedger.ledger(failed).breaks).toEqual([naming('visitsFailed 3', 1)]);
});

it('the ledger of visits has nothing of visits in a run without any', () => {
  const { counts: _, ...rest } = visitFooting();
  const { entries } = visitLedger.ledger({ ...rest, counts: { attempted: 5, subscribers: 18 } });
  expect(Object.keys(entries).filter((name) => name.startsWith('visit'))).toEqual([]);
  expect(visitLedger.ledgerLines(entries).map(([label]) => label)).toEqual(['publishes', 'deliveries', 'beside']);
});
