import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { goldenRun } from '../../test/kept-golden.js';
import { significance } from '../commands/diff/significance.js';
import type { Comparison, ComparisonRow } from '../results/comparison.js';
import type { RunResult, Verdict } from '../results/result.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Scenario } from '../scenarios/scenario.js';
import { cell, renderComparison } from './comparison.js';

const latency = scenarioByName('latency') as Scenario;
const plain = { isColored: false, columns: 200 };

/** A run of that target in which every delivery figure is `times` the golden one. */
function run(name: string, times: number, more: Partial<RunResult> = {}): { directory: string; result: RunResult } {
  const golden = goldenResult();
  const metrics = Object.fromEntries(
    Object.entries(golden.metrics).map(([metric, { p50, p99, max, ...others }]) => {
      const scaled = (value: number | null): number | null => (value === null ? null : value * times);
      return [metric, { ...others, p50: scaled(p50), p99: scaled(p99), max: scaled(max) }];
    }),
  );
  const result = goldenResult({ target: { ...golden.target, name }, metrics, ...more });
  return { directory: `results/${name}`, result };
}

const limited: Verdict = {
  rig: 'limited',
  evidence: [{ rule: 'gc-pause', level: 'limited', text: 'shard 0 worker 0 paused 23.1 ms' }],
};
const voided: Verdict = {
  rig: 'void',
  evidence: [{ rule: 'cut-short', level: 'void', text: 'the run was cut short' }],
};
const ran = (target: string, runs: ComparisonRow['runs']): ComparisonRow => ({
  target,
  state: 'ran',
  why: '',
  runs,
  figures: [],
});

const scoreboard = (repeat: number, rows: ComparisonRow[]): Comparison => ({
  schema: 1,
  tool: { name: 'ringside-bench', version: '0.1.0' },
  scenario: 'latency',
  fingerprint: 'dc5a9d213400',
  forced: '',
  repeat,
  startedAt: '2026-11-21T09:40:15.682Z',
  proof: null,
  ...judged(rows),
});

/** Rows with their figures, and the pairs, as a comparison of these runs would have them. */
function judged(rows: ComparisonRow[]): Pick<Comparison, 'rows' | 'pairs'> {
  const contenders = rows.map(({ target, runs }) => ({ target, runs: runs.map(({ result }) => result) }));
  const { figures, pairs } = significance(latency, contenders);
  return { rows: rows.map((row, index) => ({ ...row, figures: figures[index] ?? [] })), pairs };
}

const text = (repeat: number, rows: ComparisonRow[]): string =>
  renderComparison(scoreboard(repeat, rows), latency, plain);

it('tells of a share what the runs have counted that did count it', () => {
  const old = run('ws', 1, { ledger: { expected: 202 } });
  const half = run('ws', 1, { ledger: { expected: 202, delivered: 101 } });
  const [row] = judged([ran('ws', [old, half])]).rows;
  const column = { title: 'delivered', kind: 'share', part: 'delivered', whole: 'expected' } as const;
  expect(row && cell(column, row)).toBe('50.00 %');
  const [none] = judged([ran('ws', [old])]).rows;
  expect(none && cell(column, none)).toBe('–');
});

describe('a scoreboard for the terminal', () => {
  it('has median and range, verdicts, what could not run, and what speaks against the numbers', () => {
    const missing = goldenResult().ledger;
    const rows = [
      ran('ws', [run('ws', 2), run('ws', 2.1), run('ws', 1.9)]),
      ran('uws', [
        run('uws', 1, { ledger: { ...missing, delivered: 203_211, lost: 1 } }),
        run('uws', 1.03, { verdict: limited }),
        run('uws', 0.98),
        run('uws', 1, { verdict: voided, stop: { code: 'targetGone', evidence: ['it died'] } }),
      ]),
      ran(
        'socketio',
        [1, 2, 3].map((times) => run('socketio', times, { verdict: voided, stop: { code: 'refused', evidence: [] } })),
      ),
      {
        target: 'anycable',
        state: 'notAvailable' as const,
        why: 'no binary was found. Set ANYCABLE_GO_BIN.',
        runs: [],
        figures: [],
      },
      { target: 'socketio-csr', state: 'failed' as const, why: 'it did not listen', runs: [], figures: [] },
    ];
    expect(text(3, rows)).toMatchInlineSnapshot(`
      "latency  5 targets, 3 interleaved runs each
      subscribers 202 · broadcasts 1006 · rate 10/s · payload 200b · warm-up 11 · drain 5s

      target                         p50, ms                p99, ms                max, ms  p99 from intended, ms       publish ack p50, ms  delivered  verdict
      ws                 1.49 [1.27 to 1.74]    10.0 [8.56 to 11.7]    82.0 [70.2 to 95.9]    10.0 [8.59 to 11.7]       1.20 [1.03 to 1.40]      100 %  3 clean
      uws           * 0.743 [0.687 to 0.803]  * 5.00 [4.63 to 5.41]  * 41.0 [37.9 to 44.3]  * 5.02 [4.64 to 5.43]  * 0.601 [0.556 to 0.650]    99.99 %  2 clean, 1 limited, 1 void (target process gone)
      socketio                             –                      –                      –                      –                         –          –  3 void (refused by target)
      anycable                             –                      –                      –                      –                         –          –  not available: no binary was found. Set ANYCABLE_GO_BIN.
      socketio-csr                         –                      –                      –                      –                         –          –  failed: it did not listen

      what speaks against these numbers
      uws  gc-pause: shard 0 worker 0 paused 23.1 ms
      uws  cut-short: the run was cut short
      socketio  cut-short: the run was cut short

      what differs by more than the noise
      p50                uws < ws
      p99                uws < ws
      max                uws < ws
      p99 from intended  uws < ws
      publish ack p50    uws < ws
      delivered          not told apart: ws from uws

      * better than every other by more than the noise
      each figure: median of the runs [95 % interval over runs and their broadcasts], or (smallest to largest)"
    `);
  });

  it('of one run each has figures without a range', () => {
    expect(
      text(1, [ran('ws', [run('ws', 1)]), ran('uws', [run('uws', 2, { verdict: limited })])]),
    ).toMatchInlineSnapshot(`
      "latency  2 targets, 1 interleaved run each
      subscribers 202 · broadcasts 1006 · rate 10/s · payload 200b · warm-up 11 · drain 5s

      target  p50, ms  p99, ms  max, ms  p99 from intended, ms  publish ack p50, ms  delivered  verdict
      ws        0.743     5.00     41.0                   5.02                0.601      100 %  clean
      uws        1.49     10.0     82.0                   10.0                 1.20      100 %  limited

      what speaks against these numbers
      uws  gc-pause: shard 0 worker 0 paused 23.1 ms

      one run each: nothing is called best; --repeat 3 tells what changes between runs"
    `);
  });

  it('calls nothing best of fewer than three runs each, however narrow their own intervals are', () => {
    const one = (name: string, times: number) => ({ directory: name, result: goldenRun(name, times) });
    const single = text(1, [ran('ws', [one('ws', 1)]), ran('uws', [one('uws', 3)])]);
    expect(single).toContain('0.743 [0.709 to 0.778]');
    expect(single).not.toContain('*');
    expect(single).not.toContain('what differs');
    expect(single).toContain('one run each: nothing is called best');
    expect(single).toContain('each figure: its one run [95 % interval over its broadcasts]');
    const three = (name: string, times: number) => [0.98, 1, 1.02].map((each) => one(name, each * times));
    const uneven = text(3, [ran('ws', three('ws', 1)), ran('uws', [one('uws', 3)])]);
    expect(uneven).not.toContain('*');
    expect(uneven).toMatch(/^nothing is called best beside fewer than 3 runs that are not void: uws \(1\)$/m);
    const enough = text(3, [ran('ws', three('ws', 1)), ran('uws', three('uws', 3))]);
    expect(enough).toContain('* 0.743');
    expect(enough).not.toContain('nothing is called best');
  });

  it('names who has too few runs beside whom nothing is best, and advises repeats only where they were not given', () => {
    const runs = (name: string, ...more: Partial<RunResult>[]) =>
      ran(
        name,
        more.map((each, n) => run(name, (name === 'ws' ? 1 : 2) * (1 + n / 100), each)),
      );
    const lines = (repeat: number, ...rows: ComparisonRow[]): string[] =>
      text(repeat, rows)
        .split('\n')
        .filter((line) => line.includes('nothing is called best'));
    const three = runs('ws', {}, {}, {});
    const said = 'nothing is called best beside fewer than 3 runs that are not void:';
    const oneVoid = runs('uws', {}, {}, { verdict: voided });
    expect(lines(3, three, oneVoid)).toEqual([`${said} uws (2)`]);
    expect(lines(3, three, oneVoid, runs('socketio', {}, {}, {}))).toEqual([`${said} uws (2)`]);
    expect(lines(2, runs('ws', {}, {}), runs('uws', {}, {}))).toEqual([
      `${said} ws (2), uws (2); --repeat 3 tells what changes between runs`,
    ]);
    expect(lines(3, three, runs('uws', ...[1, 2, 3].map(() => ({ verdict: voided }))))).toEqual([]);
  });

  it('calls nothing best among figures of which a run doubts one, and tells no order of it', () => {
    const doubts = [{ metric: 'delivery', figure: 'max' as const, leastUs: 3000, text: 'delivery max: a stall' }];
    const runs = (name: string, times: number, verdict: Partial<Verdict> = {}) =>
      ran(
        name,
        [0.98, 1, 1.02].map((each) => run(name, times * each, { verdict: { rig: 'clean', evidence: [], ...verdict } })),
      );
    const doubted = text(3, [runs('ws', 1), runs('uws', 3, { doubts })]);
    const [ws, uws] = ['ws ', 'uws '].map((name) => doubted.split('\n').find((line) => line.startsWith(name)));
    expect(ws).toMatch(/ \* 5\.00 \[\S+ to \S+\] +41\.0 /);
    expect(uws).toMatch(/ 15\.0 \[\S+ to \S+\] +≤123 /);
    expect(doubted).toMatch(/^p99 +ws < uws$/m);
    expect(doubted).toMatch(/^max +no order of what the rig may have a part in: uws$/m);
    expect(doubted).toMatch(/^uws {2}delivery max: a stall$/m);
    expect(doubted).toMatch(/^≤ : the rig or its network may have written a part of it$/m);
    expect(text(3, [runs('ws', 1, { doubts }), runs('uws', 3)])).toMatch(/^max +no order .*: ws$/m);
    expect(text(3, [runs('ws', 1), runs('uws', 3)])).not.toContain('≤');
  });

  it('has no figures of a void run, and counts none of its deliveries', () => {
    const rows = [
      ran('ws', [run('ws', 1), run('ws', 1000, { verdict: voided, ledger: { delivered: 0, expected: 7 } })]),
    ];
    const line =
      text(2, rows)
        .split('\n')
        .find((each) => each.startsWith('ws ')) ?? '';
    expect(line).toMatch(/^ws +0\.743 +5\.00 +41\.0 +5\.02 +0\.601 +100 % +1 clean, 1 void$/);
  });

  it('takes the lower of two middle runs as their median', () => {
    const line = text(2, [ran('ws', [run('ws', 2), run('ws', 1)])])
      .split('\n')
      .find((each) => each.startsWith('ws '));
    expect(line).toContain('0.743 (0.743 to 1.49)');
  });

  it('stands without a single run', () => {
    const rows = [
      { target: 'anycable', state: 'notAvailable' as const, why: 'no binary was found.', runs: [], figures: [] },
      ran('ws', []),
    ];
    expect(text(3, rows)).toMatchInlineSnapshot(`
      "latency  2 targets, 3 interleaved runs each

      target    p50, ms  p99, ms  max, ms  p99 from intended, ms  publish ack p50, ms  delivered  verdict
      anycable        –        –        –                      –                    –          –  not available: no binary was found.
      ws              –        –        –                      –                    –          –  not run"
    `);
  });

  it('says once for each target and rule what speaks against it', () => {
    const rows = [ran('ws', [run('ws', 1, { verdict: limited }), run('ws', 1, { verdict: limited })])];
    expect(text(2, rows).match(/gc-pause/g)).toHaveLength(1);
  });
});
