import { expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { naming } from '../../../test/refusal.js';
import type { LedgerEntries } from '../../measure/ledger.js';
import { summarize } from '../../measure/samples/distribution.js';
import type { Sums } from '../scenario.js';
import { gameCharts } from './index.js';
import { gameLedger, gameLines, plateauFinding } from './ledger.js';
import { gameOptions } from './options.js';

/** What the game asks no result for. */
const untold = { medians: () => [], leastUs: () => undefined };

/** Rooms of 6, 3 and 2 whose players typed 11, 7 and 5 keys; four deliveries lost. Nine hundreds of clients. */
const footing = (): Sums => ({
  counts: {
    ...{ attempted: 23, unsent: 2, subscribers: 11, arrived: 11, arrivals: 900, playersStayed: 10, playersCut: 1 },
    ...{
      arrivalsFailed: 3,
      arrivalsUnready: 0,
      arrivalsNotDue: 886,
      pings: 29,
      pingsUnsent: 3,
      answered: 27,
      deadWorkers: 0,
    },
    ...{ duplicate: 1, late: 0, stray: 0, untimed: 13 },
  },
  causes: { arrive: { 'http-status:503': 2, reset: 1 }, close: { reset: 1 }, unsent: { gone: 2 } },
  series: {
    players: Uint32Array.of(6, 3, 2),
    typed: Uint32Array.of(11, 7, 5),
    heard: Uint32Array.of(66, 19, 8),
    marked: Uint32Array.of(66, 19, 8),
    playingAt: Uint32Array.of(100, 200, 299, 399, 499, 599, 698, 795, 800),
    heardAt: Uint32Array.of(10, 10, 10, 10, 10, 10, 10, 10, 13),
    pingsAt: Uint32Array.of(3, 3, 3, 3, 3, 3, 3, 3, 5),
    answeredAt: Uint32Array.of(3, 3, 3, 3, 3, 3, 3, 3, 3),
  },
  timeline: {},
});

it('what is owed is the keys of each room times its players', async () => {
  const { entries, breaks, unfinished } = gameLedger.ledger(footing());
  expect(breaks).toEqual([]);
  expect(entries).toMatchObject({ typed: 23, expected: 66 + 21 + 10, delivered: 93, lost: 4, unanswered: 2 });
  expect(unfinished).toMatchObject({ pingStep8: 0, pingStep9: 2, pingAtLeastStep9: 2 });
  await expectGolden('ledger/game.txt', { 'a run with faults': ledgerText(gameLedger.ledgerLines(entries)) });
});

it('breaks where a delivery, a key or a player is counted in one place alone', () => {
  const heard = footing();
  heard.series.heard = Uint32Array.of(66, 19, 9);
  expect(gameLedger.ledger(heard).breaks).toHaveLength(2);
  const typed = footing();
  typed.counts.attempted = 24;
  expect(gameLedger.ledger(typed).breaks).toEqual([naming('typed 24', 23)]);
  const unsent = footing();
  unsent.counts.unsent = 3;
  expect(gameLedger.ledger(unsent).breaks).toEqual([naming('unsent 3', 2)]);
  const arrived = footing();
  arrived.counts.arrived = 12;
  expect(gameLedger.ledger(arrived).breaks).toEqual([naming('arrived 12', 11)]);
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
