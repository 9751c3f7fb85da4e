import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { smallSource } from '../../../test/published.js';
import type { Comparison } from '../../results/comparison.js';
import { type PublishedTable, reproduction, tablesOf } from '../../results/published.js';
import type { Knee } from '../../results/search.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import { planReproduction } from './plan.js';
import { readPublished } from './published.js';
import { publisherOf, reproductionOf } from './reproduce.js';
import { planSearch, reproductionOfSearch } from './search.js';

const nothing: GivenForRun = { flags: {}, env: {}, file: {} };
const small = tablesOf(smallSource)[0] as PublishedTable;

describe('what a reproduction keeps', () => {
  const planned = planReproduction(small, { scale: 0.1, time: 1 }, nothing);
  const limited = goldenResult({
    verdict: { rig: 'limited', evidence: [{ rule: 'schedule-missed', level: 'limited', text: 'paused 23.1 ms' }] },
  });
  const comparison = {
    startedAt: '2026-11-21T09:40:15.682Z',
    repeat: 3,
    rows: [
      {
        target: 'ws',
        state: 'ran',
        why: '',
        runs: [goldenResult(), limited, limited].map((result) => ({ directory: 'd', result })),
        figures: [],
      },
      { target: 'uws', state: 'notAvailable', why: 'it is not installed', runs: [], figures: [] },
      { target: 'socketio', state: 'failed', why: 'it did not listen', runs: [], figures: [] },
    ],
  } as unknown as Comparison;
  const kept = reproductionOf(planned, comparison);

  it('is a document of its schema, with a row for each figure of the table', () => {
    expect(reproduction.parse(kept)).toEqual(kept);
    expect(kept.rows.map(({ figure }) => figure)).toEqual(small.figures.map(({ id }) => id));
  });

  it('has the state of each target, and its evidence once', () => {
    expect(kept.targets).toMatchObject([
      {
        target: 'ws',
        state: 'ran',
        verdicts: { clean: 1, limited: 2, void: 0 },
        evidence: ['schedule-missed: paused 23.1 ms'],
      },
      { target: 'uws', state: 'notAvailable', why: 'it is not installed' },
      { target: 'socketio', state: 'failed', why: 'it did not listen' },
      { target: 'go-server', state: 'elsewhere', why: 'a server in Go' },
    ]);
  });

  it('has the rig of the runs', () => {
    // The golden run is of two shards, and one of its metrics came as a histogram.
    expect(kept.rig).toMatchObject({ client: 'wire', shards: 2, workersPerShard: 1, hasHistograms: true });
    expect(reproductionOf(planned, { ...comparison, rows: [] }).rig).toMatchObject({ shards: 1, hasHistograms: false });
  });
});

describe('who sends', () => {
  const of = (id: string): string => {
    const table = readPublished().find((each) => each.id === id);
    const [first] = table ? planReproduction(table, { scale: 0.1, time: 1 }, nothing).contenders : [];
    return first ? publisherOf(first.plan) : '';
  };

  it.each([
    ['bench-latency-1k', 'over HTTP, on an open schedule'],
    ['bench-throughput-10k', 'over HTTP, on an open schedule'],
    ['bench-avalanche-5k', 'over HTTP, on an open schedule'],
    ['bench-whispers-1k', 'clients over WebSocket, on an open schedule'],
    ['shootout', 'clients over WebSocket, a closed loop of 4'],
    ['node-bun-800', 'clients over WebSocket, on an open schedule'],
    ['sockudo-500', 'over HTTP, on an open schedule'],
    ['bench-idle-1m', 'nothing is sent'],
  ])('in %s: %s', (id, text) => {
    expect(of(id)).toContain(text);
  });
});

const table = readPublished().find(({ id }) => id === 'jamming-threshold') as PublishedTable;

const machine = { kernel: 'Linux', cpu: 'EPYC', cores: 2, memoryBytes: 7, runtime: 'node 20.20.2' };
const row = (clients: number, messagesPerSecond: number | null, keptUpTo: number | null = null) => ({
  keptUpTo,
  ...{ clients, messagesPerSecond, end: messagesPerSecond === null ? 'highestKept' : 'no' },
  tries: [{ rig: 'clean' }, { rig: 'limited' }],
});
const knee = (...rows: ReturnType<typeof row>[]): Knee =>
  ({
    startedAt: '2026-11-23T05:20:15.682Z',
    repeat: 2,
    client: 'wire',
    target: { name: 'socketio', versions: { 'socket.io': '4.8.4' } },
    environment: { driver: machine, shards: [machine] },
    rows,
    endedBecause: '',
  }) as unknown as Knee;

it('a published search is planned at a scale of its subscribers, with what the source says alone', () => {
  const env = { RINGSIDE_PUBLISH: 'in-process', RINGSIDE_PRECISION: '7%' };
  const { kneePlan, changes } = planSearch(table, { scale: 0.1, time: 1 }, { flags: {}, env, file: {} });
  expect(kneePlan.clients).toEqual([3, 10, 40, 100]);
  expect(kneePlan.plan).toMatchObject({ target: { name: 'socketio' }, options: { publish: 'http' } });
  expect(kneePlan.shape.precision).toBe(0.07);
  expect(changes).toEqual([{ option: 'clients', published: '25, 100, 400, 1000', here: '3, 10, 40, 100' }]);
  expect(planSearch(table, { scale: 1, time: 1 }, nothing).changes).toEqual([]);
});

it('a published search is refused where no target stands for its server', () => {
  const figures = table.figures.map((figure) => ({ ...figure, target: 'tomorrow' }));
  expect(() => planSearch({ ...table, figures }, { scale: 1, time: 1 }, nothing)).toThrow(/tomorrow/);
});

it('a published search stands beside the messages that all numbers of subscribers gave', () => {
  const planned = planSearch(table, { scale: 1, time: 1 }, nothing);
  const found = reproductionOfSearch(planned, knee(row(25, 12_000), row(100, 18_000), row(400, null)));
  expect(reproduction.parse(found)).toEqual(found);
  const rates = table.figures.map(({ metric }) => metric === 'deliveriesPerSecond');
  expect(found.rows.map(({ measured }) => measured !== null)).toEqual(rates);
  expect(found.rows[0]).toMatchObject({
    measured: { median: 12_000, least: 12_000, most: 18_000, runs: 6 },
    ratio: 12_000 / 9000,
  });
  expect(found.targets).toMatchObject([{ target: 'socketio', verdicts: { clean: 3, limited: 3, void: 0 } }]);
  expect(found.pairs).toEqual([]);
});

it('a published search says how it ended where no knee was found, and the most that was carried', () => {
  const planned = planSearch(table, { scale: 1, time: 1 }, nothing);
  const { rows, found } = reproductionOfSearch(planned, knee(row(25, null), row(100, null, 257.7)));
  expect(rows[0]).toMatchObject({ measured: null, why: expect.stringContaining('25,770') });
  expect(found).toEqual([expect.stringContaining('25 '), expect.stringContaining('25,770')]);
});
