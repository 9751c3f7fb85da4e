import { expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { latency } from '../../../test/kept-golden.js';
import { headlineBounds, leastInWords, saidOf, verdictInWords, withBound } from './verdict-words.js';

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
  const { verdict } = goldenResult({ verdict: { rig: 'clean', evidence: [], bounds: [ofMax, ofAll] } });
  const ends = (['max', 'p99'] as const).map((figure) => leastInWords(verdict, 'delivery', figure));
  expect([...ends, leastInWords(verdict, 'publishAck', 'p50')]).toEqual(['12.0', undefined, '']);
  expect(leastInWords(goldenResult().verdict, 'delivery', 'max')).toBeUndefined();
});

it('a figure has its lower end behind it, or a sign before it where that is unknown', () => {
  expect([
    withBound('2.60', '1.90'),
    withBound('2.60', ''),
    withBound('2.60', undefined),
    withBound('2.60', '2.60'),
  ]).toEqual(['2.60 (≥1.90)', '≤2.60', '2.60', '2.60']);
});

it('a run is marked by a figure that stands beside those of its headline', () => {
  const bounds = [{ ...ofMax, figure: 'p95' as const }];
  expect(saidOf(goldenResult({ verdict: { rig: 'clean', evidence: [], bounds } }), latency)).toBe('bounded');
});

it('marks at figures outside of the headline change nothing', () => {
  const bounds = [{ ...ofMax, metric: 'connect' }];
  const run = goldenResult({ verdict: { rig: 'clean', evidence: [], bounds } });
  expect(verdictInWords(run, latency)).toBe(verdictInWords(goldenResult(), latency));
});

it('a verdict names each cause of marks once', () => {
  const bounds = ['cores-busy', 'receive-lag', 'receive-lag'].map((rule) => ({ ...ofMax, rule }));
  const run = goldenResult({ verdict: { rig: 'clean', evidence: [], bounds } });
  expect(verdictInWords(run, latency)).toMatch(/: waiting in the load generator, no idle core$/);
});

const starving = { metric: 'delivery', figure: 'p99' as const, leastUs: 12_000, text: 'waited 2.18 s of 6.0 s' };

it('a target that others kept from its cores is starved where that shows below the maximum', () => {
  const saidWith = (...bounds: object[]) =>
    saidOf(
      goldenResult({
        verdict: { rig: 'clean', evidence: [], bounds: bounds.map((each) => ({ ...starving, ...each })) },
      }),
      latency,
    );
  expect(saidWith({ rule: 'target-starved' })).toBe('starved');
  expect(saidWith({ rule: 'target-starved', metric: 'publishAck', figure: null })).toBe('starved');
  expect(saidWith({ rule: 'target-starved', figure: 'max' }, { rule: 'receive-lag' })).toBe('bounded');
  expect(saidWith({ rule: 'target-starved', metric: 'connect', figure: null })).toBe('clean');
});

it('the bounds of a headline are about its figures', () => {
  const other = { ...ofMax, metric: 'deliveryFromIntended' };
  const run = goldenResult({ verdict: { rig: 'clean', evidence: [], bounds: [ofMax, other] } });
  expect(headlineBounds(run, latency)).toEqual([ofMax]);
});
