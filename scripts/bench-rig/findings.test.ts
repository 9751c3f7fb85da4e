import { describe, expect, it } from 'vitest';
import { bounds } from './bounds.js';
import { judge } from './findings.js';
import { benches } from './list.js';

const bench = { name: 'help', bounds: ['help'] } as const;
const found = (value: number) => ({ bench, findings: [{ bound: 'help', value, detail: 'of 7' }] as const });

describe('judge', () => {
  it.each([
    [300, true, 'kept'],
    [300.5, false, 'BROKEN'],
    [Number.NaN, false, 'BROKEN'],
  ])('holds %d ms against a bound of 300 ms', (value, isKept, word) => {
    const judged = judge([found(value)]);
    expect(judged.isKept).toBe(isKept);
    expect(judged.text).toContain(word);
    expect(judged.text).toContain('<= 300 ms');
  });

  it('has one broken bound break the whole, in any order', () => {
    expect(judge([found(7), found(307)]).isKept).toBe(false);
    expect(judge([found(307), found(7)]).isKept).toBe(false);
    expect(judge([found(7), found(11)]).isKept).toBe(true);
  });

  it('takes a bound without a figure for broken, and says why', () => {
    const judged = judge([{ bench, findings: [], failure: 'no such file' }]);
    expect(judged.isKept).toBe(false);
    expect(judged.text).toMatch(/not measured .* BROKEN .*no such file/);
  });

  it('shows figures without a bound and holds them against nothing', () => {
    const judged = judge([
      { bench: { ...bench, bounds: [] }, findings: [{ what: 'wire', measured: '7 us', detail: '' }] },
    ]);
    expect(judged.isKept).toBe(true);
    expect(judged.text).toMatch(/wire\s+7 us/);
  });
});

describe('the list of benches', () => {
  it('finds a figure for every bound, once', () => {
    expect(benches.flatMap((each) => each.bounds)).toEqual(Object.keys(bounds));
  });
});
