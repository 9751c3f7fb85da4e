import { describe, expect, it } from 'vitest';
import type { PublishedTable } from '../../results/published.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import type { Knee } from '../search/knee/row.js';
import { readPublished } from './published.js';
import { reproduction } from './reproduction.js';
import { planSearch, reproductionOfSearch } from './search.js';

const nothing: GivenForRun = { flags: {}, env: {}, file: {} };
const table = readPublished().find(({ id }) => id === 'jamming-threshold') as PublishedTable;

const machine = { kernel: 'Linux', cpu: 'EPYC', cores: 2, memoryBytes: 7, runtime: 'node 20.20.2' };
const row = (subscribers: number, messagesPerSecond: number | null, keptUpTo: number | null = null) => ({
  keptUpTo,
  ...{ subscribers, messagesPerSecond, end: messagesPerSecond === null ? 'highestKept' : 'no' },
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

describe('a published search', () => {
  it('is planned at a scale of its subscribers, with what the source says alone', () => {
    const env = { RINGSIDE_PUBLISH: 'in-process', RINGSIDE_PRECISION: '7%' };
    const { kneePlan, changes } = planSearch(table, { scale: 0.1, time: 1 }, { flags: {}, env, file: {} });
    expect(kneePlan.subscribers).toEqual([3, 10, 40, 100]);
    expect(kneePlan.plan).toMatchObject({ target: { name: 'socketio' }, options: { publish: 'http' } });
    expect(kneePlan.shape.precision).toBe(0.07);
    expect(changes).toEqual([{ option: 'subscribers', published: '25, 100, 400, 1000', here: '3, 10, 40, 100' }]);
    expect(planSearch(table, { scale: 1, time: 1 }, nothing).changes).toEqual([]);
  });

  it('is refused where no target stands for its server', () => {
    const figures = table.figures.map((figure) => ({ ...figure, target: 'tomorrow' }));
    expect(() => planSearch({ ...table, figures }, { scale: 1, time: 1 }, nothing)).toThrow(/tomorrow/);
  });

  it('stands beside the messages that all numbers of subscribers gave', () => {
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

  it('says how it ended where no knee was found, and the most that was carried', () => {
    const planned = planSearch(table, { scale: 1, time: 1 }, nothing);
    const { rows, found } = reproductionOfSearch(planned, knee(row(25, null), row(100, null, 257.7)));
    expect(rows[0]).toMatchObject({ measured: null, why: expect.stringContaining('25,770') });
    expect(found).toEqual([expect.stringContaining('25 '), expect.stringContaining('25,770')]);
  });
});
