import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import type { ComparisonRow } from '../../results/comparison.js';
import type { RunResult } from '../../results/result.js';
import { scenarioByName } from '../../scenarios/list.js';
import { comparisonExit } from './compare.js';

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

const exit = (...rows: ComparisonRow[]): string => comparisonExit({ rows }, latency);

describe('how a comparison ends', () => {
  it('is by a promise that a clean run broke, whatever another run says of the rig', () => {
    expect(exit(row([{}, {}]))).toBe('clean');
    expect(exit(row([{ thresholds: [broken] }]), row([{ verdict: limited }]))).toBe('threshold');
    expect(exit(row([gone, { thresholds: [broken] }]))).toBe('threshold');
  });

  it('is by the rig where only doubtful runs broke a promise, or a target died', () => {
    expect(exit(row([{}, { thresholds: [broken], verdict: limited }]))).toBe('rig');
    expect(exit(row([{}, gone]))).toBe('rig');
  });

  it('is no success where a target failed, or nothing ran', () => {
    expect(exit(row([{}]), row([], { state: 'failed', why: 'no ports' }))).toBe('input');
    expect(exit(row([], { state: 'notAvailable', why: 'no binary' }))).toBe('input');
    expect(exit()).toBe('input');
  });
});
