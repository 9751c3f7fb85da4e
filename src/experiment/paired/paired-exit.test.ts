import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import type { ComparisonRow } from '../../results/comparison.js';
import type { KeptPairedRatio, Paired } from '../../results/paired.js';
import type { RunResult } from '../../results/result.js';
import { pairedExit } from './paired-exit.js';

const broken = { text: 'lost==0', kind: 'count', value: 1, isKept: false } as const;
const undecided = { ...broken, undecidedFromUs: 3 };
const doubtful: RunResult['verdict'] = {
  rig: 'clean',
  evidence: [],
  bounds: [{ rule: 'receive-lag', metric: 'delivery', figure: 'p50', leastUs: 2, text: 'x' }],
};

function row(runs: Partial<RunResult>[], more: Partial<ComparisonRow> = {}): ComparisonRow {
  const results = runs.map((each, index) => ({ directory: `results/${index}`, result: goldenResult(each) }));
  return { target: 'ws', state: 'ran', why: '', runs: results, figures: [], ...more };
}

const pairOf = (holds: KeptPairedRatio['holds']) => ({ holds }) as KeptPairedRatio;
const paired = { ended: 'starts', withheld: [], pairs: [pairOf('open'), pairOf('yes')] } as unknown as Paired;
const open = { ...paired, pairs: [pairOf('open')] };

describe('how a paired comparison ends', () => {
  const rows = [row([{}]), row([{}])];

  it('is clean if one pair is decided, and `rig` if none is or the order is withheld', () => {
    expect(pairedExit({ paired, rows }, false)).toBe('clean');
    expect(pairedExit({ paired: open, rows }, false)).toBe('rig');
    expect(pairedExit({ paired: open, rows: rows.slice(1) }, false)).toBe('clean');
    expect(pairedExit({ paired: { ...paired, withheld: ['x'] } as unknown as Paired, rows }, false)).toBe('rig');
  });

  it('is by its thresholds: broken, or undecided where the rig’s part decides', () => {
    expect(pairedExit({ paired, rows: [...rows, row([{ thresholds: [broken] }])] }, false)).toBe('threshold');
    expect(pairedExit({ paired, rows: [...rows, row([{ thresholds: [undecided] }])] }, false)).toBe('rig');
  });

  it('is `rig` for a mark at any figure, strictly', () => {
    const marked = [...rows, row([{ verdict: doubtful }])];
    expect(pairedExit({ paired, rows: marked }, false)).toBe('clean');
    expect(pairedExit({ paired, rows: marked }, true)).toBe('rig');
    expect(pairedExit({ paired, rows }, true)).toBe('clean');
  });

  it('is `input` without a target that ran, or with one that failed', () => {
    expect(pairedExit({ paired: undefined, rows }, false)).toBe('input');
    expect(pairedExit({ paired, rows: [...rows, row([], { state: 'failed', why: 'no ports' })] }, false)).toBe('input');
  });
});
