import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { naming } from '../../../test/refusal.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import { summarize } from '../../measure/samples/distribution.js';
import { loadOptions } from '../load-options.js';
import type { Sums } from '../scenario.js';
import { game, gameCharts } from './index.js';
import { gameLedger, gameLines, pingPlateauOf, plateauFinding } from './ledger.js';
import { gameOptions, mostSends, PlayerBuckets, rowsOf } from './role.js';

const load = loadOptions.parse({});

describe('the demand of a game', () => {
  it('is that of all clients of its stages, each of whom types and pings', () => {
    const options = game.options.parse({ stages: '825s:3300,10s:3300' });
    expect(game.demand(options, load)).toEqual({
      clients: 3300,
      publishesPerSecond: 0,
      sends: { perSecond: 3300 * 6, deliveriesPerSecond: 3300 * (5 * 6 + 1) },
      payloadBytes: options.payloadBytes,
      broadcasts: 1,
      durationMs: 835_000 + 5000,
    });
    // Nobody is there when traffic begins.
    expect(game.arriving?.(options)).toBe(3300);
    expect(game.contradictions?.(options)).toEqual([]);
  });

  it('has room in its table for all that players send from their arrival on', () => {
    // Two players come at 1 s and 3 s of 4 s: 3 s and 1 s of five keys and one ping a second, and one more of each.
    const options = game.options.parse({ stages: '4s:2' });
    expect(mostSends(options)).toEqual({ keys: 16 + 6, pings: 4 + 2 });
    expect(rowsOf(options, 1)).toBe(2 * 32 + 22 + 6);
    // One of two shards has the one who came first at most.
    expect(rowsOf(options, 2)).toBe(32 + 16 + 4);
    expect(game.independentAtMost(options)).toMatchObject({ delivery: 22, ping: 6, publishLag: 28, arrival: 2 });
  });

  it('is refused where clients would leave, or send more than the table takes', () => {
    const refused = (stages: string) => game.contradictions?.(game.options.parse({ stages }));
    expect(refused('5s:20,5s:10')).toEqual([naming('--stages', '5s:20,5s:10')]);
    expect(refused('2h:10000')).toEqual([naming('--stages', '2h:10000')]);
  });
});

it('an instant belongs to the hundred of clients that is planned to come in then', () => {
  const hundreds = new PlayerBuckets('50s:200,7s:200,25s:250');
  hundreds.begin(7e9);
  const at = [0, 24, 26, 49, 56, 58, 82, 1000].map((seconds) => hundreds.at(7e9 + seconds * 1e9));
  expect(at).toEqual([0, 0, 1, 1, 1, 2, 2, 2]);
  expect(hundreds.count).toBe(3);
  expect([0, 1, 2].map((hundred) => hundreds.spanMs(hundred).map(Math.round))).toEqual([
    [125, 25_125],
    [25_125, 57_250],
    [57_250, 82_000],
  ]);
});

describe('a plateau', () => {
  const p95 = [5, 4, 6, 5, 5, 6, 7, 16, 20, 40, 90];

  it('is the median of the first five hundreds, left where lower ends are three times as high twice in a row', () => {
    expect(pingPlateauOf(p95, p95)).toEqual({ us: 5, hundreds: 11, leftAt: 7 });
    expect(pingPlateauOf([...p95.slice(0, 7), 16, 5, 40, 90], [...p95.slice(0, 7), 16, 5, 40, 90])?.leftAt).toBe(9);
    expect(pingPlateauOf(p95.slice(0, 8), p95.slice(0, 8))).toMatchObject({ us: 5, leftAt: undefined });
  });

  it('begins where there are enough pings for a p95', () => {
    expect(pingPlateauOf([null, ...p95], [null, ...p95])).toEqual({ us: 5, hundreds: 11, leftAt: 8 });
    expect(pingPlateauOf([null, null], [null, null])).toBeUndefined();
  });

  it('is not left by what the rig may have added', () =>
    expect(
      pingPlateauOf(
        p95,
        p95.map(() => 3),
      ),
    ).toMatchObject({ us: 5, leftAt: undefined }));

  it('is left where pings have no p95 any more, as too many are unanswered', () =>
    expect(pingPlateauOf([...p95.slice(0, 6), null, null], [...p95.slice(0, 6), null, null])?.leftAt).toBe(6));

  it('is not named without five hundreds', () => expect(pingPlateauOf([5, 5, 5, 5], [5, 5, 5, 5])).toBeUndefined());
});

/** What the game asks no result for. */
const untold = { medians: () => [], intervalUs: () => undefined, leastUs: () => undefined };

/** Rooms of 6, 3 and 2 whose players typed 11, 7 and 5 keys; four deliveries lost. Nine hundreds of clients. */
const footing = (): Sums => ({
  counts: {
    ...{ attempted: 52, typed: 23, unsent: 2, owed: 97, delivered: 93, lost: 4, subscribers: 11, arrived: 11 },
    ...{ arrivals: 900, playersStayed: 10, playersCut: 1, arrivalsFailed: 3, arrivalsUnready: 0, arrivalsNotDue: 886 },
    ...{ pings: 29, pingsUnsent: 3, answered: 27, unanswered: 2, deadWorkers: 0 },
    ...{ duplicate: 1, late: 0, stray: 0, untimed: 13 },
  },
  causes: { arrive: { 'http-status:503': 2, reset: 1 }, close: { reset: 1 }, unsent: { gone: 5 } },
  series: {
    playingAt: Uint32Array.of(100, 200, 299, 399, 499, 599, 698, 795, 800),
    heardAt: Uint32Array.of(10, 10, 10, 10, 10, 10, 10, 10, 13),
    pingsAt: Uint32Array.of(3, 3, 3, 3, 3, 3, 3, 3, 5),
    answeredAt: Uint32Array.of(3, 3, 3, 3, 3, 3, 3, 3, 3),
  },
  timeline: {},
});

it('counts keys, pings and players, and what they are owed', async () => {
  const { entries, breaks, unfinished } = gameLedger.ledger(footing());
  expect(breaks).toEqual([]);
  expect(entries).toMatchObject({ typed: 23, expected: 97, delivered: 93, lost: 4, unanswered: 2 });
  expect(unfinished).toMatchObject({ pingStep8: 0, pingStep9: 2, pingAtLeastStep9: 2 });
  const moving = footing();
  Object.assign(moving.counts, { unclear: 3, unlearned: 1, unsent: 0, pingsUnsent: 0 });
  await expectGolden('ledger/game.txt', {
    'a run with faults': ledgerText(gameLedger.ledgerLines(entries)),
    'players that were cut, and a shard that did not learn': ledgerText(
      gameLedger.ledgerLines(gameLedger.ledger(moving).entries),
    ),
  });
});

it.each([
  ['attempted', 53, 52],
  ['unsent', 3, 5],
  ['arrived', 12, 11],
  ['arrivalsFailed', 4, 3],
  ['lost', 5, 97],
  ['unanswered', 1, 29],
])('breaks where %s is counted in one place alone', (name, count, other) => {
  const sums = footing();
  sums.counts[name] = count;
  const { breaks } = gameLedger.ledger(sums);
  expect(breaks.length).toBeGreaterThan(0);
  expect(breaks.join()).toContain(String(other));
});

it('a row for each hundred of clients says what was measured, and where the plateau ends and why', async () => {
  const { entries } = gameLedger.ledger(footing());
  const options = gameOptions.parse({ stages: '225s:900' });
  const slowness = [1, 1, 1, 1, 1, 1, 2, 9, 90];
  const of = (us: number) => summarize({ kind: 'raw', values: new Uint32Array(997).fill(us) });
  const metrics = Object.fromEntries(
    slowness.flatMap((times, n) => [
      [`pingStep${n + 1}`, of(2000 * times)],
      [`pingAtLeastStep${n + 1}`, of(1500 * times)],
      [`deliveryStep${n + 1}`, of(2500 * times)],
    ]),
  );
  const said = (of: typeof metrics, told: Parameters<typeof gameLines>[3], counts: LedgerEntries = entries): string => {
    const ms = (us: number | null): string => (us === null ? '–' : String(us / 1000));
    return [...gameLines(of, counts, ms, told), '', plateauFinding(of, counts, ms, told)].join('\n');
  };
  const lines = (cpuPercent: number, lateMs: number, waitPercent = 1): string =>
    said(metrics, {
      options,
      ...untold,
      reading: (_stage, name, fromMs) =>
        ({
          ...{ cpuPercent, coreWaitPercent: waitPercent, eventLoopDelayP99Ms: lateMs },
          rssBytes: 1e8 + fromMs * 500,
        })[name],
    });
  const blind = { options, ...untold, reading: () => null };
  await expectGolden('game-lines.txt', {
    'a full core': lines(98, 41),
    'a late loop': lines(37, 41),
    neither: lines(37, 1),
    'a full machine': lines(98, 41, 37),
    'too few for an end': said(
      Object.fromEntries(Object.entries(metrics).filter(([name]) => Number(name.at(-1)) <= 6)),
      blind,
      { ...entries, unansweredAt: {} },
    ),
    'too few hundreds': said({ pingStep1: of(2000) }, blind),
  });
});

it('charts have a value for each hundred of clients with a ping', () => {
  const { entries } = gameLedger.ledger(footing());
  const us = summarize({ kind: 'raw', values: new Uint32Array(997).fill(7000) });
  const metrics = { pingStep1: us, pingAtLeastStep1: us, deliveryStep1: us, pingStep3: us };
  const options = gameOptions.parse({ stages: '225s:900' });
  const charts = gameCharts(metrics, entries, {
    options,
    ...untold,
    reading: (_stage, name) => (name === 'rssBytes' ? 7e6 : null),
  });
  const values = Object.fromEntries(charts.map(({ title, lines }) => [title, lines.map((line) => line.values)]));
  expect(new Set(charts.map(({ clients }) => clients.join()))).toEqual(new Set(['100,300']));
  expect(values.Pings).toEqual([
    [7, 7],
    [7, 7],
    [7, 7],
    [7, null],
  ]);
  expect(values.Deliveries).toEqual(Array(3).fill([7, null]));
  expect(values['Memory of the target']).toEqual([[7, 7]]);
  expect(values.Delivered?.[0]?.[0]).toBeCloseTo(10 / 25, 5);
  expect(values['CPU of the target']).toEqual([
    [null, null],
    [null, null],
  ]);
});
