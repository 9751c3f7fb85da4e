import { expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { latency } from '../../../test/kept-golden.js';
import { answerInWords } from './answer.js';
import { headlineBounds, leastInWords, saidOf, verdictInWords, withMark } from './verdict-words.js';

const ofMax = { metric: 'delivery', figure: 'max' as const, leastUs: 12_000, text: 'delivery max: of 41.0 ms' };
const ofAll = { metric: 'publishAck', figure: null, leastUs: 0, text: 'publishAck: in the ramp it was busy' };

it.each([
  ['completed', 'clean'],
  ['publishesShort', 'short'],
  ['endedByUser', 'short'],
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

it('a mark stands at its figure, or at its whole metric, and nowhere else', () => {
  const { verdict } = goldenResult({ verdict: { rig: 'clean', evidence: [], doubts: [ofMax, ofAll] } });
  const ends = (['max', 'p99'] as const).map((figure) => leastInWords(verdict, 'delivery', figure));
  expect([...ends, leastInWords(verdict, 'publishAck', 'p50')]).toEqual(['12.0', undefined, '']);
  expect(leastInWords(goldenResult().verdict, 'delivery', 'max')).toBeUndefined();
});

it('a figure has its lower end behind it, or a sign before it where that is unknown', () => {
  expect([
    withMark('2.60', '1.90'),
    withMark('2.60', ''),
    withMark('2.60', undefined),
    withMark('2.60', '2.60'),
  ]).toEqual(['2.60 (≥1.90)', '≤2.60', '2.60', '2.60']);
});

it('a clean run with marks does not say that there is no sign of the rig', () => {
  const marked = goldenResult({ verdict: { rig: 'clean', evidence: [], doubts: [ofMax] } });
  expect(saidOf(marked, latency)).toBe('marked');
  expect(verdictInWords(marked, latency)).not.toMatch(/clean|no sign/);
});

it('a run is marked by a figure that stands beside those of its headline', () => {
  const doubts = [{ ...ofMax, figure: 'p95' as const }];
  expect(saidOf(goldenResult({ verdict: { rig: 'clean', evidence: [], doubts } }), latency)).toBe('marked');
});

it('marks at figures outside of the headline change nothing', () => {
  const doubts = [{ ...ofMax, metric: 'connect' }];
  const run = goldenResult({ verdict: { rig: 'clean', evidence: [], doubts } });
  expect(verdictInWords(run, latency)).toBe(verdictInWords(goldenResult(), latency));
});

it('a verdict names each cause of marks once', () => {
  const doubts = ['cores-busy', 'receive-lag', 'receive-lag'].map((rule) => ({ ...ofMax, rule }));
  const run = goldenResult({ verdict: { rig: 'clean', evidence: [], doubts } });
  expect(verdictInWords(run, latency)).toMatch(/: waiting in the load generator, no idle core$/);
});

const starving = { metric: 'delivery', figure: 'p99' as const, leastUs: 12_000, text: 'waited 2.18 s of 6.0 s' };

it('a target that others kept from its cores is starved where that shows below the maximum', () => {
  const saidWith = (...doubts: object[]) =>
    saidOf(
      goldenResult({
        verdict: { rig: 'clean', evidence: [], doubts: doubts.map((each) => ({ ...starving, ...each })) },
      }),
      latency,
    );
  expect(saidWith({ rule: 'target-starved' })).toBe('starved');
  expect(saidWith({ rule: 'target-starved', metric: 'publishAck', figure: null })).toBe('starved');
  expect(saidWith({ rule: 'target-starved', figure: 'max' }, { rule: 'receive-lag' })).toBe('marked');
  expect(saidWith({ rule: 'target-starved', metric: 'connect', figure: null })).toBe('clean');
});

it('a run of a starved target begins with that', () => {
  const doubts = [{ ...starving, rule: 'target-starved' }];
  const run = goldenResult({ verdict: { rig: 'clean', evidence: [], doubts } });
  expect(answerInWords(run, latency)[0]).toBe('Waited 2.18 s of 6.0 s.');
  expect(verdictInWords(run, latency)).not.toMatch(/clean/i);
});

it('the doubts of a headline are about its figures', () => {
  const other = { ...ofMax, metric: 'deliveryFromIntended' };
  const run = goldenResult({ verdict: { rig: 'clean', evidence: [], doubts: [ofMax, other] } });
  expect(headlineBounds(run, latency)).toEqual([ofMax]);
});
