import { describe, expect, it } from 'vitest';
import { judgeBenches } from './judge.js';

const bound = { what: 'help', atMost: 300, print: (ms: number) => `${Math.round(ms)} ms` };
const bench = { bounds: [bound] };
const found = (value: number) => ({ bench, findings: [{ bound, value, detail: 'of 7' }] });

describe('judge', () => {
  it.each([
    [300, true, 'kept'],
    [300.5, false, 'BROKEN'],
    [Number.NaN, false, 'BROKEN'],
  ])('compares %d ms with a bound of 300 ms', (value, isKept, word) => {
    const judged = judgeBenches([found(value)]);
    expect(judged.isKept).toBe(isKept);
    expect(judged.text).toContain(word);
    expect(judged.text).toContain('<= 300 ms');
  });

  it('fails as a whole if one bound is broken', () => {
    expect(judgeBenches([found(7), found(307)]).isKept).toBe(false);
    expect(judgeBenches([found(307), found(7)]).isKept).toBe(false);
    expect(judgeBenches([found(7), found(11)]).isKept).toBe(true);
  });

  it('breaks a bound without a figure and shows why', () => {
    const judged = judgeBenches([{ bench, findings: [], failure: 'no such file' }]);
    expect(judged.isKept).toBe(false);
    expect(judged.text).toMatch(/ BROKEN .*no such file/);
  });

  it('keeps a bound of what is not here, and shows why', () => {
    const judged = judgeBenches([{ bench, findings: [{ bound, lack: 'no compiler' }] }]);
    expect(judged.isKept).toBe(true);
    expect(judged.text).toMatch(/help\s+not here\s+<= 300 ms\s+no compiler/);
  });

  it('shows figures without a bound', () => {
    const judged = judgeBenches([
      { bench: { bounds: [] }, findings: [{ what: 'wire', measured: '7 us', detail: '' }] },
    ]);
    expect(judged.isKept).toBe(true);
    expect(judged.text).toMatch(/wire\s+7 us/);
  });
});
