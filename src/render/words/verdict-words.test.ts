import { expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { latency } from '../../../test/kept-golden.js';
import { doubtMark, headlineDoubts, saidOf } from './verdict-words.js';

const ofMax = { metric: 'delivery', figure: 'max' as const, leastUs: 12_000, text: 'delivery max: of 41.0 ms' };
const ofAll = { metric: 'publishAck', figure: null, leastUs: 0, text: 'publishAck: in the ramp it was busy' };

it.each([
  ['completed', 'clean'],
  ['publishesShort', 'short'],
  ['targetUnreachable', 'short'],
  ['interrupted', 'short'],
  ['refused', 'short'],
] as const)('a run without a fault of the rig that ended by %s is %s', (code, said) => {
  const run = goldenResult({ stop: { code, evidence: [] } });
  expect(saidOf(run, latency)).toBe(said);
  expect(saidOf({ ...run, verdict: { rig: 'limited', evidence: [] } }, latency)).toBe('limited');
});

it('a wall of the target is what a capacity run looks for', () => {
  const run = goldenResult({ stop: { code: 'refused', evidence: [] } });
  expect(saidOf(run, { ...latency, isCapacity: true })).toBe('clean');
});

it('a doubt marks its figure, or its whole metric, and nothing else', () => {
  const { verdict } = goldenResult({ verdict: { rig: 'clean', evidence: [], doubts: [ofMax, ofAll] } });
  const marks = (['max', 'p99'] as const).map((figure) => doubtMark(verdict, 'delivery', figure));
  expect([...marks, doubtMark(verdict, 'publishAck', 'p50')]).toEqual(['≤', '', '≤']);
  expect(doubtMark(goldenResult().verdict, 'delivery', 'max')).toBe('');
});

it('the doubts of a headline are about its figures', () => {
  const other = { ...ofMax, metric: 'deliveryFromIntended' };
  const run = goldenResult({ verdict: { rig: 'clean', evidence: [], doubts: [ofMax, other] } });
  expect(headlineDoubts(run, latency)).toEqual([ofMax]);
});
