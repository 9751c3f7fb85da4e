import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { goldenResult } from '../../../test/golden-result.js';
import { latency } from '../../../test/scenarios.js';
import { countInWords, milliseconds, optionsInWords, thresholdInWords } from './values.js';
import { headlineBounds, leastInWords, saidOf, verdictInWords, withBound } from './verdict-words.js';

it('says a count or a rate with the digits that it has', () => {
  const said = [0, 7, 10_031, 99.823_1, 10_025.272, -3.456, 0.004].map(countInWords);
  expect(said).toEqual(['0', '7', '10,031', '99.82', '10,025.3', '-3.46', '0']);
});

it('says of a threshold without a value why', async () => {
  const { delivery } = goldenResult().metrics;
  const of = (text: string, count: number, unfinished?: number, independent?: number) =>
    thresholdInWords(
      { text, kind: 'figure', value: null, isKept: false },
      { delivery: { ...delivery!, count, unfinished, independent } },
    );
  await expectGolden('words.txt', {
    'too few samples': of('delivery.p99<1s', 400),
    'too few samples, with unfinished ones': of('delivery.p999<1s', 4000, 211),
    'too few broadcasts': of('delivery.p99<1s', 50_000, 0, 250),
    'too many unfinished': of('delivery.p99<1s', 997, 11),
    'not measured': of('connect.p99<1s', 400),
    'no samples': of('delivery.max<1s', 0),
  });
});

it.each([
  [0, '0.000'],
  [1, '0.001'],
  [412, '0.412'],
  [999, '0.999'],
  [1000, '1.00'],
  [3074, '3.07'],
  [9994, '9.99'],
  [10_000, '10.0'],
  [41_949, '41.9'],
  [100_000, '100'],
  [1_204_499, '1,204'],
  [4_294_967_295, '4,294,967'],
  [null, '–'],
  [undefined, '–'],
])('milliseconds of %s microseconds are %s', (us, text) => {
  expect(milliseconds(us)).toBe(text);
});

it('milliseconds are off by less than half a percent, and grow with the microseconds', () => {
  const read = (us: number): number => Number(milliseconds(us).replaceAll(',', ''));
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 2 ** 32 - 1 }), fc.nat({ max: 1009 }), (us, more) => {
      expect(Math.abs(read(us) * 1000 - us)).toBeLessThanOrEqual(us * 0.005);
      expect(read(us + more)).toBeGreaterThanOrEqual(read(us));
    }),
  );
});

it('tells options as they would be given, in the order of the help', () => {
  const options = {
    payloadBytes: 64_000,
    ratePerSecond: 7,
    clients: 10_000,
    broadcasts: 97,
    warmUp: 0,
    drainMs: 90_000,
  };
  expect(optionsInWords(latency, options)).toBe(
    'clients 10k · broadcasts 97 · rate 7/s · payload 64kb · warm-up 0 · drain 90s',
  );
});

it('rounds what a comparison has chosen', () => {
  expect(optionsInWords(latency, { ratePerSecond: 25 / 3 })).toBe('rate 8.33/s');
  expect(optionsInWords(latency, { ratePerSecond: 1 / 130 })).toBe('rate 0.462/m');
});

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
