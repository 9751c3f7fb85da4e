import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

// The script of a page acts as soon as it is there: it gets a page without charts.
type Draw = typeof import('./draw.js');
let draw: Draw;

beforeAll(async () => {
  vi.stubGlobal('document', { getElementById: () => ({ textContent: '{"charts":[],"curves":{}}' }) });
  vi.stubGlobal('matchMedia', () => ({ addEventListener: () => undefined }));
  vi.stubGlobal('addEventListener', () => undefined);
  draw = await import('./draw.js');
});
afterAll(() => vi.unstubAllGlobals());

describe('axes', () => {
  it('over time begin at zero and do not jump in the first ten seconds', () => {
    const ends = [null, 1, 1.003, 9.9, 10, 26.5].map((most) => draw.linearRange(most));
    expect(ends).toEqual([
      [0, 10],
      [0, 10],
      [0, 10],
      [0, 10],
      [0, 10],
      [0, 26.5],
    ]);
  });

  it('of percentiles have the digits that a rank needs', () => {
    const at = [1, 2, 3, 4, 10, 100, 1000, 1e6, 1e7, 3_456_789].map((x) => draw.percentileOf(x));
    expect(at).toEqual([
      ...['0 %', '50 %', '66.67 %', '75 %', '90 %', '99 %', '99.9 %'],
      ...['99.9999 %', '99.99999 %', '99.99997107 %'],
    ]);
  });
});
