import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { smallSource } from '../../../test/published.js';
import type { Comparison } from '../../results/comparison.js';
import { type PublishedTable, tablesOf } from '../../results/published.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import { planReproduction } from './plan.js';
import { readPublished } from './published.js';
import { publisherOf, reproductionOf } from './reproduce.js';
import { reproduction } from './reproduction.js';

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
