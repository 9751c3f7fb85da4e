import { expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { goldenComparison, goldenRun } from '../../test/kept-golden.js';
import { comparison } from './comparison.js';
import { runResult } from './result.js';
import { sampleFile } from './store.js';

/** Through JSON and back, as it is kept. */
const kept = (): Record<string, unknown> => JSON.parse(JSON.stringify(goldenResult())) as Record<string, unknown>;

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

it('experiment.json holds nothing but whole results', () => {
  const whole = goldenComparison([goldenRun('ws', 1)]);
  const { verdict: _, ...without } = whole.rows[0]!.runs[0]!.result;
  expect(comparison.parse(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
  const rows = [{ ...whole.rows[0], runs: [{ directory: 'results/one', result: without }] }];
  expect(comparison.safeParse({ ...whole, rows }).success).toBe(false);
});

it('the samples of a part have a file of their own in the result, whatever the name of the part', () => {
  for (const name of ['ask:GET /users/../:id', 'ask:game.ts:14', 'ask:@#-']) {
    const samples = { [name]: { file: sampleFile(name), kind: 'raw', count: 7 } };
    expect(runResult.safeParse({ ...kept(), samples }).success).toBe(true);
    expect(sampleFile(name).split('/')).toHaveLength(2);
  }
});
