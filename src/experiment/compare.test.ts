import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { type ComparisonRow, comparison } from '../results/comparison.js';
import type { RunResult } from '../results/result.js';
import { scenarioByName } from '../scenarios/list.js';
import { assemble, comparisonExit, shapeDifference } from './compare.js';

const latency = scenarioByName('latency')!;
const broken = { text: 'lost==0', kind: 'count', value: 1, isKept: false } as const;
const limited: RunResult['verdict'] = { rig: 'limited', evidence: [] };
const gone: Partial<RunResult> = {
  stop: { code: 'targetGone', evidence: [] },
  verdict: { rig: 'void', evidence: [] },
};

function row(runs: Partial<RunResult>[], more: Partial<ComparisonRow> = {}): ComparisonRow {
  const results = runs.map((each, index) => ({ directory: `results/${index}`, result: goldenResult(each) }));
  return { target: 'ws', state: 'ran', why: '', runs: results, figures: [], ...more };
}

const exit = (...rows: ComparisonRow[]): string => comparisonExit({ rows }, latency, false);

describe('how a comparison ends', () => {
  it('is `threshold` if a clean run broke one, whatever the rig did to another run', () => {
    expect(exit(row([{}, {}]))).toBe('clean');
    expect(exit(row([{ thresholds: [broken] }]), row([{ verdict: limited }]))).toBe('threshold');
    expect(exit(row([gone, { thresholds: [broken] }]))).toBe('threshold');
  });

  it('is `rig` if only limited runs broke a threshold, or a target died', () => {
    expect(exit(row([{}, { thresholds: [broken], verdict: limited }]))).toBe('rig');
    expect(exit(row([{}, gone]))).toBe('rig');
  });

  it('is `input` if a target failed or nothing ran', () => {
    expect(exit(row([{}]), row([], { state: 'failed', why: 'no ports' }))).toBe('input');
    expect(exit(row([], { state: 'notAvailable', why: 'no binary' }))).toBe('input');
    expect(exit()).toBe('input');
  });
});

const golden = goldenResult();
const run = (target: string, directory: string, subscribers = 202) => ({
  directory,
  result: goldenResult({
    target: { ...golden.target, name: target },
    shape: { ...golden.shape, options: { subscribers } },
  }),
});

describe('kept runs side by side', () => {
  it('are rows of targets, runs of one target its repeats', () => {
    const runs = [run('ws', 'a'), run('uws', 'b'), run('ws', 'c')];
    const scoreboard = assemble(latency, runs, '');
    expect(scoreboard.rows.map(({ target, runs: own }) => [target, own.map(({ directory }) => directory)])).toEqual([
      ['ws', ['a', 'c']],
      ['uws', ['b']],
    ]);
    expect(scoreboard.repeat).toBe(2);
    expect(scoreboard.rows[0]?.figures.find(({ column }) => column === 'p50')?.median).toBe(
      golden.metrics.delivery?.p50,
    );
    expect(comparison.safeParse(JSON.parse(JSON.stringify(scoreboard))).success).toBe(true);
  });

  it('of different shapes show their first difference', () => {
    expect(shapeDifference([run('ws', 'a'), run('uws', 'b')])).toBeUndefined();
    expect(shapeDifference([run('ws', 'a'), run('uws', 'b'), run('ws', 'c', 1009)])).toBe(
      'options.subscribers: 202 and 1009 (a and c)',
    );
  });
});
