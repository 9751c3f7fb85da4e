import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { goldenResult } from '../../test/golden-result.js';
import { jobRequest } from '../contract/job.js';
import { comparison } from './comparison.js';
import { runResult } from './result.js';
import { sampleFile } from './store.js';

const topLevel = [
  'schema',
  'tool',
  'scenario',
  'target',
  'job',
  'sources',
  'shape',
  'fingerprint',
  'startedAt',
  'shards',
  'ledger',
  'metrics',
  'thresholds',
  'verdict',
  'stop',
  'environment',
  'samples',
];

/** Through JSON and back, as it is kept. */
const kept = (): Record<string, unknown> => JSON.parse(JSON.stringify(goldenResult())) as Record<string, unknown>;

const without = (key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(kept()).filter(([name]) => name !== key));

it('result.json parses as it was kept', () => {
  expect(runResult.parse(kept())).toEqual(goldenResult());
});

it('result.json parses as versions kept it whose shards knew of no longest time', () => {
  const shards = goldenResult().shards.map(({ result, ...part }) => {
    const { longestMs: _, ...older } = result!;
    return { ...part, result: older };
  });
  const read = runResult.parse({ ...kept(), shards });
  expect(read.shards.map(({ result }) => result?.longestMs)).toEqual(shards.map(() => ({})));
});

it('result.json has exactly the keys that readers know, in their order', () => {
  // Results of older versions have no blocks, and most runs no talk.
  expect(Object.keys(runResult.shape)).toEqual([...topLevel, 'blocks', 'talk', 'isPairedInOrder', 'modules']);
  expect(Object.keys(kept())).toEqual(topLevel);
});

it.each(topLevel)('result.json is none without %s', (key) => {
  expect(runResult.safeParse(without(key)).success).toBe(false);
});

it('result.json is none with a key that nobody knows, on any level', () => {
  expect(runResult.safeParse({ ...kept(), note: '' }).success).toBe(false);
  for (const key of ['tool', 'target', 'job', 'verdict', 'stop', 'environment']) {
    const nested = { ...(kept()[key] as object), note: '' };
    expect(runResult.safeParse({ ...kept(), [key]: nested }).success).toBe(false);
  }
});

it.each([
  ['schema', 1],
  ['startedAt', 'yesterday'],
  ['verdict', { rig: 'fine', evidence: [] }],
  ['stop', { code: 'bored', evidence: [] }],
  ['ledger', { acked: '7' }],
  ['metrics', { delivery: { ...goldenResult().metrics.delivery, p99: 'fast' } }],
  ['samples', { delivery: { file: 'samples/delivery.bin', kind: 'sketch', count: 7 } }],
  ['samples', { delivery: { file: 'samples/../delivery.bin', kind: 'raw', count: 7 } }],
  ['samples', { delivery: { file: 'samples/..bin', kind: 'raw', count: 7 } }],
  ['blocks', { delivery: { file: 'blocks/delivery.bin', count: 0 } }],
  ['shards', [{ url: 'http://127.0.0.1:7', state: 'complete', why: '' }]],
])('result.json is none with another %s', (key, value) => {
  expect(runResult.safeParse({ ...kept(), [key]: value }).success).toBe(false);
});

it('result.json may name the blocks of its metrics', () => {
  const blocks = { delivery: { file: 'blocks/delivery.bin', count: 7 } };
  expect(runResult.parse({ ...kept(), blocks })).toEqual(goldenResult({ blocks }));
});

it('result.json may have lost a shard', () => {
  const lost = { url: 'http://127.0.0.1:41299', state: 'lost', why: 'no answer', result: null };
  const silences = [{ fromMs: 3, toMs: 5 }];
  const seen = { ...lost, lastSeen: { atMs: 7, stage: 'publish', progress: { subscribers: 60 } }, silences };
  expect(runResult.safeParse({ ...kept(), shards: [lost, seen] }).success).toBe(true);
});

const scoreboard = {
  schema: 2,
  tool: { name: 'ringside-bench', version: '0.1.0' },
  kind: 'comparison',
  scenario: 'latency',
  fingerprint: 'dc5a9d213400',
  forced: '',
  repeat: 3,
  startedAt: '2026-11-21T09:40:15.682Z',
  rows: [
    {
      target: 'ws',
      state: 'ran',
      why: '',
      runs: [{ directory: 'results/one', result: kept() }],
      figures: [{ column: 'p50', median: 743, least: 743, most: 743, interval: [701, 797] }],
    },
    { target: 'anycable', state: 'notAvailable', why: 'no binary', runs: [], figures: [] },
  ],
  pairs: [],
  proof: null,
};

it('experiment.json parses as it was kept', () => {
  expect(comparison.parse(scoreboard).rows[0]?.runs[0]?.result).toEqual(goldenResult());
});

it('experiment.json holds nothing but whole results', () => {
  const [ran] = scoreboard.rows;
  const broken = { ...ran, runs: [{ directory: 'results/one', result: without('verdict') }] };
  expect(comparison.safeParse({ ...scoreboard, rows: [broken] }).success).toBe(false);
});

describe.each([
  ['result', runResult],
  ['comparison', comparison],
  ['job', jobRequest],
] as const)('the JSON schema of a %s', (_name, schema) => {
  it.each(['input', 'output'] as const)('can be written for its %s', (io) => {
    const json = z.toJSONSchema(schema, { io });
    expect(json).toMatchObject({ type: 'object', properties: expect.any(Object) });
    expect(Object.keys(json.properties ?? {})).toEqual(Object.keys(schema.shape));
  });
});

it('the samples of a part have a file of their own in the result, whatever the name of the part', () => {
  for (const name of ['ask:GET /users/../:id', 'ask:game.ts:14', 'ask:@#-']) {
    const samples = { [name]: { file: sampleFile(name), kind: 'raw', count: 7 } };
    expect(runResult.safeParse({ ...kept(), samples }).success).toBe(true);
    expect(sampleFile(name).split('/')).toHaveLength(2);
  }
});
