import { expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { latency } from '../../../test/kept-golden.js';
import { doubtMark, headlineDoubts, saidOf } from './verdict-words.js';

const ofMax = { metric: 'delivery', figure: 'max' as const, leastUs: 12_000, text: 'delivery max: of 41.0 ms' };
const ofAll = { metric: 'publishAck', figure: null, leastUs: 0, text: 'publishAck: in the ramp it was busy' };

it('a run that fell short is not clean; a limited one is limited', () => {
  const short = goldenResult({ stop: { code: 'publishesShort', evidence: [] } });
  expect([saidOf(short), saidOf(goldenResult())]).toEqual(['short', 'clean']);
  expect(saidOf({ ...short, verdict: { rig: 'limited', evidence: [] } })).toBe('limited');
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
