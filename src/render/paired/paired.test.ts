import { describe, expect, it } from 'vitest';
import { expectGolden, expectVariants } from '../../../test/golden.js';
import {
  failed,
  goldenRun,
  goldenThresholds,
  latency,
  limited,
  notAvailable,
  resultDocument,
  voided,
} from '../../../test/kept-golden.js';
import { type Made, pairedComparison, pairOfTwo } from '../../../test/paired-golden.js';
import { pairOf } from '../../measure/statement.js';
import type { Paired } from '../../results/paired.js';
import { comparisonDocument } from '../comparison.js';
import { markdownText } from '../document/markdown.js';
import { terminalText } from '../document/terminal.js';
import { answerOf } from './answer.js';
import { claimsOf, percentText, times } from './claims.js';
import { machineInWords, pairedTable } from './table.js';

const three = { uws: 1, ws: 1.45, socketio: 2.03 };
const lossy = (name: string) =>
  name === 'socketio'
    ? { deliveredShare: 0.9812, tail: null, p50AtLeastUs: 4050, stolenShare: 0.2 }
    : { excludedShare: 0.07, stolenShare: 0.2 };

const crowd: Paired['crowd'] = [
  { target: 'uws', ratio: 1.1, interval: [0.9, 1.3] },
  { target: 'ws', ratio: 1.01, interval: [0.98, 1.04] },
  { target: 'socketio', ratio: 1.21, interval: [1.17, 1.25] },
];

const cases = {
  decided: { times: three, starts: 3, ended: 'decided', target: () => ({ stolenShare: 0.131 }) },
  'an equal pair': { times: { uws: 1, ws: 1.5, socketio: 1.5 }, noise: 0.004 },
  'all equal': { times: { uws: 1, ws: 1 }, noise: 0.004, ended: 'decided', target: () => ({ stolenShare: 0 }) },
  'two that are the fastest': { times: { uws: 1, ws: 1, socketio: 2 }, noise: 0.004 },
  'an open pair, and the budget': {
    times: { uws: 1, ws: 1.5, socketio: 1.61 },
    starts: 4,
    noise: 0.09,
    ended: 'budget',
  },
  'a control in doubt': { times: three, twinTimes: 3 },
  'one target not available, one failed': { times: { uws: 1, ws: 1.45 }, others: [notAvailable, failed] },
  interrupted: { times: three, starts: 2, ended: 'interrupted' },
  'interrupted in the first start': {
    times: three,
    starts: 0,
    ended: 'interrupted',
    target: () => ({ p50Us: null, p50AtLeastUs: null, tail: null, deliveredShare: null }),
  },
  'what the crowd does': { times: three, crowd },
  'what the crowd does to the fastest': {
    times: three,
    crowd: crowd.map((each) =>
      each.target === 'uws'
        ? { ...each, ratio: 1.01, interval: [0.98, 1.04] }
        : { ...each, ratio: 1.21, interval: each.target === 'ws' ? [1.01, 1.41] : [1.17, 1.25] },
    ),
  },
  'lost deliveries, rounds excluded unevenly': { times: three, target: lossy, more: { excludedEvenlyP: 0.0004 } },
  'one target alone': { times: { uws: 1 }, others: [notAvailable], starts: 3, ended: 'tooFew' },
} as const satisfies Record<string, Made>;

/** Two of three runs of a target have thresholds and verdicts. */
function judged(): ReturnType<typeof pairedComparison> {
  const made = pairedComparison({ times: three, starts: 3 });
  const own = { thresholds: goldenThresholds, verdict: limited };
  const results = [goldenRun('uws', 1, own), goldenRun('uws', 1, { verdict: voided }), goldenRun('uws', 1)];
  const runs = results.map((result, index) => ({ directory: `results/uws-${index}`, result }));
  return { ...made, rows: made.rows.map((row) => (row.target === 'uws' ? { ...row, runs } : row)) };
}

const comparisons = {
  ...Object.fromEntries(Object.entries(cases).map(([name, made]) => [name, pairedComparison(made)])),
  'an intransitive case': pairedComparison({
    times: { a: 1, b: 1.06, c: 1.12 },
    more: {
      pairs: [pairOfTwo('a', 'b', 0.94, 'open'), pairOfTwo('b', 'c', 0.94, 'open'), pairOfTwo('c', 'a', 1.13, 'yes')],
    },
  }),
  'what the rig may have made': pairedComparison({
    times: { uws: 1, ws: 1.2 },
    more: { pairs: [{ ...pairOfTwo('ws', 'uws', 1.2, 'open'), because: 'rig' }] },
  }),
  'thresholds and verdicts of runs': judged(),
};

it('answers first, in its golden file', async () => {
  const text = (columns: number) =>
    Object.entries(comparisons).map(([name, each]) => [
      columns < 80 ? `${name}, narrow` : name,
      terminalText(comparisonDocument(each, latency), { isColored: false, columns }),
    ]);
  await expectGolden('paired.txt', Object.fromEntries([...text(80), ...text(40).slice(0, 1)]));
});

it('answers first in Markdown, in its golden file', async () => {
  const text = Object.entries(comparisons).map(([name, each]) => [name, markdownText(resultDocument(each, latency))]);
  await expectVariants('paired-markdown.txt', Object.fromEntries(text));
});

const claims = (name: keyof typeof cases) => claimsOf(pairedComparison(cases[name]).paired);

it('what a comparison states is who is the fastest, and how many times slower the others are', () => {
  const found = claims('decided');
  expect(found).toMatchObject({ fastest: ['uws'], reference: 'uws', equal: [], untold: [] });
  expect(found?.slower.map(({ target, than }) => [target, than])).toEqual([
    ['ws', 'uws'],
    ['socketio', 'uws'],
  ]);
  for (const { target, ratio } of found?.slower ?? [])
    expect(Math.abs((ratio ?? 0) / three[target as keyof typeof three] - 1)).toBeLessThan(0.02);
});

it('what a comparison states is who is equal, once for each group', () => {
  expect(claims('an equal pair')).toMatchObject({ fastest: ['uws'], untold: [] });
  expect(claims('an equal pair')?.equal.map((group) => group.toSorted())).toEqual([['socketio', 'ws']]);
  expect(claims('all equal')).toMatchObject({ slower: [], untold: [] });
  expect(claims('two that are the fastest')?.fastest.toSorted()).toEqual(['uws', 'ws']);
});

it('what a comparison states is what stays open, with the difference that it may hide', () => {
  const { untold = [] } = claims('an open pair, and the budget') ?? {};
  expect(untold.map(({ targets }) => targets)).toEqual([['ws', 'socketio']]);
  expect(untold[0]?.upTo).toBeGreaterThan(0.05);
  expect(untold[0]?.because).toBe('chance');
});

it('what a comparison states is nothing where no order can be claimed', () => {
  expect(claims('a control in doubt')).toBeUndefined();
  expect(claims('interrupted')).toBeUndefined();
  expect(claims('one target alone')).toBeUndefined();
});

it('what a comparison states comes from conclusions alone: of three in a row, only the outer two may be apart', () => {
  const { paired } = comparisons['an intransitive case'];
  const found = claimsOf(paired);
  expect(found?.fastest).toEqual(['a', 'b']);
  expect(found?.slower).toEqual([{ target: 'c', than: 'a', ratio: 1.13 }]);
  expect(found?.untold.map(({ targets }) => targets)).toEqual([
    ['a', 'b'],
    ['b', 'c'],
  ]);
});

it('what a comparison states blames the rig where the joint interval lacks 1 and the order does not hold', () => {
  const { paired } = comparisons['what the rig may have made'];
  expect(claimsOf(paired)?.untold).toMatchObject([{ targets: ['uws', 'ws'], because: 'rig' }]);
});

it('what a comparison states is no order where idle neighbours slow down one of two more than the other', () => {
  const { untold } = claims('what the crowd does') ?? {};
  expect(untold).toMatchObject([{ targets: ['ws', 'socketio'], because: 'neighbours' }]);
});

it('what a comparison states is of the slower one where it is slower than another than the reference alone', () => {
  const pairs = [pairOfTwo('a', 'b', 0.97, 'open'), pairOfTwo('a', 'c', 0.95, 'open'), pairOfTwo('c', 'b', 1.1, 'yes')];
  const { paired } = pairedComparison({ times: { a: 1, b: 1, c: 1 }, more: { pairs } });
  expect(claimsOf(paired)?.slower).toEqual([{ target: 'c', than: 'b', ratio: 1.1 }]);
});

it('what a comparison states calls no two inseparable whose ratio in the table lacks 1', () => {
  const found = Object.values(comparisons).flatMap(({ paired }) => {
    const apart = paired.pairs.filter(({ interval }) => interval && (interval[0] > 1 || interval[1] < 1));
    return answerOf(paired, latency).flatMap((sentence) =>
      apart.filter(
        ({ a, b }) => sentence.includes("can't be told apart") && [a, b].every((each) => sentence.includes(each)),
      ),
    );
  });
  expect(found).toEqual([]);
});

it('what a comparison states is an order that follows from two others, with an open ratio', () => {
  const found = claims('what the crowd does to the fastest');
  expect(found?.untold).toMatchObject([{ targets: ['uws', 'socketio'], isOrdered: true, because: 'neighbours' }]);
  expect(claims('what the crowd does')?.untold).toMatchObject([{ isOrdered: false }]);
});

it('finds a pair in either order', () => {
  const pair = pairOfTwo('a', 'b', 2, 'yes');
  expect(pairOf([pair], 'a', 'b')).toBe(pair);
  expect(pairOf([pair], 'b', 'a')).toMatchObject({ a: 'b', b: 'a', ratio: 0.5, holds: 'yes' });
  expect(pairOf([pair], 'b', 'a')?.interval).toEqual([1 / 2.1, 1.05 / 2]);
  expect(pairOf([pair], 'b', 'c')).toBeUndefined();
});

const head = (paired: Paired) => pairedTable(paired, latency).head;

it('the table has ratios only where an order is claimed, and the tail that the data carry', () => {
  expect(head(comparisons['an intransitive case'].paired)).toEqual([
    'target',
    'p50, ms',
    'vs a',
    'p90, ms',
    'delivered',
  ]);
  const bare = pairedComparison({ times: three, twinTimes: 3, target: () => ({ tail: null }) });
  expect(head(bare.paired)).toEqual(['target', 'p50, ms', 'delivered']);
});

it('the table has a bracket at a median only where it is wider than 5 %', () => {
  const { paired } = pairedComparison({
    times: { uws: 1, ws: 2 },
    target: (name) => (name === 'ws' ? { p50AtLeastUs: 3900 } : {}),
  });
  expect(pairedTable(paired, latency).rows.map(([, median]) => median)).toEqual(['2.00 (≥1.70)', '4.00']);
  const bare = pairedComparison({ times: { uws: 1 }, target: () => ({ p50AtLeastUs: 3 }) });
  expect(pairedTable(bare.paired, latency).rows.map(([, median]) => median)).toEqual(['2.00 (≥0)']);
});

it('prints ratios and shares with the digits that count', () => {
  expect([1.416, 1, 1.0013, 0.99, 12.34, 123.4].map(times)).toEqual([
    '1.42×',
    '1.00×',
    '1.001×',
    '0.99×',
    '12.3×',
    '123×',
  ]);
  expect([0.0021, 0.0137, 0.099, 0.1].map(times)).toEqual(['0.0021×', '0.014×', '0.099×', '0.10×']);
  expect([0.05, 0.125, 0.0004].map(percentText)).toEqual(['5 %', '13 %', '0.04 %']);
});

describe('the machine line', () => {
  /** Of two targets that waited so much of the core time that they wanted; the first has such marks. */
  const lineOf = (waited: readonly [number, number], rule = 'target-starved'): string => {
    const made = pairedComparison({ times: { uws: 1, ws: 2 } });
    const rows = made.rows.map((row, at) => {
      const { environment } = goldenRun(row.target, 1);
      const read = (name: 'coreWaitPercent' | 'cpuPercent', value: number) => ({
        ...{ source: 'proc' as const, name, unit: 'percent' as const, process: '4099' },
        points: [0, 1, 2].map((second) => ({ atMs: environment.loadAtMs + second * 1000, value })),
      });
      const share = waited[at] ?? 0;
      const observations = [read('coreWaitPercent', share * 100), read('cpuPercent', (1 - share) * 100)];
      const bounds = [{ metric: 'delivery', figure: 'p50' as const, leastUs: 0, text: 'waited', rule }];
      const result = goldenRun(row.target, 1, {
        environment: { ...environment, observations },
        ...(at === 0 && { verdict: { rig: 'clean', evidence: [], bounds } }),
      });
      return { ...row, runs: [{ directory: '', result }] };
    });
    return machineInWords({ rows }, made.paired);
  };

  it('says how much of the core time that they wanted each waited, and whether they were hit alike', () => {
    expect(lineOf([0.25, 0.3])).toMatch(/uws 25 %, ws 30 % \(alike\)/);
    expect(lineOf([0.25, 0.5])).toMatch(/uws 25 %, ws 50 % \(not alike\)/);
  });

  it('says nothing where no figure is marked for it', () => {
    expect(lineOf([0.25, 0.3], 'receive-lag')).not.toContain('25 %');
  });
});
