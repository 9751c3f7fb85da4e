import { expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { readingOf } from './reading.js';

it('counts the loops of all shards that hold subscribers, and reads the figures', () => {
  expect(readingOf(goldenResult())).toEqual({
    client: 'wire',
    loops: 2,
    shards: 2,
    p50: 743,
    p99: 5003,
    p99Interval: undefined,
    atLeastP50: null,
    atLeastP99: null,
    ackP50: 601,
    ackMax: 7001,
    verdict: { rig: 'clean', evidence: [] },
  });
});

it('reads a run that measured nothing', () => {
  const lost = goldenResult().shards.map((part) => ({ ...part, state: 'lost' as const, result: null }));
  expect(readingOf(goldenResult({ metrics: {}, shards: lost }))).toMatchObject({ loops: 0, p50: null, ackMax: null });
});
