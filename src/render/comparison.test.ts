import { expect, it } from 'vitest';
import { expectGolden } from '../../test/golden.js';
import { failed, goldenRun, goldenThresholds, latency, limited, notAvailable, voided } from '../../test/kept-golden.js';
import { significance } from '../experiment/significance.js';
import type { Comparison, ComparisonRow, Pair } from '../results/comparison.js';
import type { RunResult, Verdict } from '../results/result.js';
import { comparisonDocument, proofFacts } from './comparison.js';
import { terminalText } from './document/terminal.js';
import { cell, isBest, pairLines } from './words/scoreboard.js';

type Runs = ComparisonRow['runs'];

/** A run without intervals of its own, its times `times` the golden ones. */
function run(name: string, times: number, more: Partial<RunResult> = {}): Runs[number] {
  const result = goldenRun(name, times, more);
  const metrics = Object.fromEntries(
    Object.entries(result.metrics).map(([metric, each]) => [metric, { ...each, intervals: {} }]),
  );
  return { directory: `results/${name}`, result: { ...result, metrics } };
}

const ran = (target: string, runs: Runs): ComparisonRow => ({ target, state: 'ran', why: '', runs, figures: [] });
const three = (name: string, times: number, verdict: Partial<Verdict> = {}): ComparisonRow =>
  ran(
    name,
    [0.98, 1, 1.02].map((each) => run(name, times * each, { verdict: { rig: 'clean', evidence: [], ...verdict } })),
  );

function scoreboard(repeat: number, rows: ComparisonRow[]): Comparison {
  const contenders = rows.map(({ target, runs }) => ({ target, runs: runs.map(({ result }) => result) }));
  const { figures, pairs } = significance(latency, contenders, false);
  return {
    ...{ schema: 2, tool: { name: 'ringside-bench', version: '0.1.0' }, scenario: 'latency', kind: 'comparison' },
    ...{ fingerprint: 'dc5a9d213400', forced: '', startedAt: '2026-11-21T09:40:15.682Z', proof: null },
    ...{ repeat, pairs, rows: rows.map((row, index) => ({ ...row, figures: figures[index] ?? [] })) },
  };
}

const text = (repeat: number, rows: ComparisonRow[], columns = 200): string =>
  terminalText(comparisonDocument(scoreboard(repeat, rows), latency), { isColored: false, columns });
const best = (repeat: number, rows: ComparisonRow[]): string[] => {
  const board = scoreboard(repeat, rows);
  return latency.headline.flatMap((column) =>
    rows.flatMap(({ target }) => (isBest(column, target, board, latency) ? [`${target} ${column.title}`] : [])),
  );
};

const bounds = [{ metric: 'delivery', figure: 'max' as const, leastUs: 3000, text: 'delivery max: a stall' }];
const oneLost = { ...goldenRun('uws', 1).ledger, delivered: 203_211, lost: 1 };
const mixed = [
  three('ws', 2),
  ran('uws', [
    run('uws', 1, { ledger: oneLost, thresholds: goldenThresholds }),
    run('uws', 1.03, { verdict: limited, thresholds: goldenThresholds }),
    run('uws', 0.98),
    run('uws', 1, { verdict: voided, stop: { code: 'targetGone', evidence: ['it died'] } }),
  ]),
  ran(
    'socketio',
    [1, 2, 3].map((times) => run('socketio', times, { verdict: voided, stop: { code: 'refused', evidence: [] } })),
  ),
  notAvailable,
  failed,
];

it('says what a comparison found, in its golden file', async () => {
  const withIntervals = [
    ran('ws', [{ directory: 'ws', result: goldenRun('ws', 1) }]),
    ran('uws', [{ directory: 'uws', result: goldenRun('uws', 2, { verdict: limited }) }]),
  ];
  const voids = [1, 2, 3].map((times) => run('uws', times, { verdict: voided }));
  await expectGolden('comparison.txt', {
    'targets of every kind': text(3, mixed),
    'in a narrow terminal': text(3, mixed, 80),
    'one run each': text(1, withIntervals),
    'too few valid runs': text(3, [three('ws', 1), ran('uws', [run('uws', 1), ...voids])]),
    'too few runs asked for': text(2, [ran('ws', [run('ws', 1), run('ws', 1.1)]), ran('uws', [run('uws', 2)])]),
    'bounded figures': text(3, [three('ws', 1), three('uws', 3, { bounds })]),
    'within noise': text(
      3,
      ['ws', 'uws', 'socketio'].map((name) => three(name, 1)),
    ),
    'nothing ran': text(3, [notAvailable, ran('ws', [])]),
    'of different shapes': terminalText(
      comparisonDocument(
        { ...scoreboard(1, [ran('ws', [run('ws', 1)])]), forced: 'options.clients: 7 and 11' },
        latency,
      ),
      { isColored: true, columns: 200 },
    ),
  });
});

it('adds up a share over the runs that counted it', () => {
  const old = run('ws', 1, { ledger: { expected: 202 } });
  const half = run('ws', 1, { ledger: { expected: 202, delivered: 101 } });
  const column = { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' } as const;
  const of = (runs: Runs): string => cell(column, scoreboard(1, [ran('ws', runs)]).rows[0]!, latency);
  expect([of([old, half]), of([old])]).toEqual(['50.00 %', '–']);
});

it('has a best figure only with three valid runs each, beyond noise and at both ends of brackets', () => {
  const figures = latency.headline.filter(({ kind }) => kind === 'figure').map(({ title }) => title);
  const single = (name: string, times: number) => ran(name, [{ directory: name, result: goldenRun(name, times) }]);
  expect(best(3, [three('ws', 1), three('uws', 3)])).toEqual(figures.map((title) => `ws ${title}`));
  expect(best(1, [single('ws', 1), single('uws', 3)])).toEqual([]);
  expect(best(3, [three('ws', 1), single('uws', 3)])).toEqual([]);
  expect(best(3, [three('ws', 1), three('uws', 1)])).toEqual([]);
  const butMax = figures.filter((title) => title !== 'max');
  expect(best(3, [three('ws', 1), three('uws', 3, { bounds })])).toEqual(butMax.map((title) => `ws ${title}`));
  // The best may be better still.
  expect(best(3, [three('ws', 1, { bounds }), three('uws', 3)])).toEqual(figures.map((title) => `ws ${title}`));
});

it('orders no pair of which the rig may have added the difference', () => {
  const board = scoreboard(3, [three('ws', 1), three('uws', 3, { bounds })]);
  const lines = pairLines(latency, board).map((line) => [line.split(/ {2,}/)[0], line.includes('ws < uws')]);
  expect(Object.fromEntries(lines)).toMatchObject({ p99: true, max: false });
});

const pair = (column: string, ratio: number, low: number, high: number): Pair => ({
  ...{ column, a: 'ws, 1 × 1 loops', b: 'ws, 1 × 2 loops', ratio },
  ...{ interval: [low, high], isBeyondNoise: low > 1 || high < 1 },
});
const lines = (against: Pair[], notTried: string[] = []): string[] =>
  terminalText(
    {
      ...{ title: '', isTitleHidden: true, suites: [] },
      parts: [{ blocks: [{ facts: proofFacts({ variants: [], notTried, against }) }] }],
    },
    { isColored: false, columns: 100 },
  ).split('\n');

const held = pair('p50', 1.01, 0.83, 1.2);
const moved = [pair('p50', 1, 0.9, 1.1), pair('p99', 2, 1.6, 2.5)];
const wide = [held, pair('p99', 1, 0.25, 4.5)];

it('says what a proof found, in its golden file', async () => {
  await expectGolden('proof.txt', {
    moved: lines(moved, ['twice the shards: 2 cores']).join('\n'),
    held: lines([held]).join('\n'),
    'open for noise': lines(wide).join('\n'),
    'open without figures': lines([]).join('\n'),
  });
});
