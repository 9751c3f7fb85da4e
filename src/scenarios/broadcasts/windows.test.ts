import { describe, expect, it } from 'vitest';
import { Windows } from './presence.js';

describe('the windows of a client', () => {
  const windows = new Windows(2);
  windows.begin(1, 100);
  windows.end(1, 200);
  windows.begin(1, 300);

  it.each([
    [0, 99, false],
    [0, 100, true],
    [150, 160, true],
    [200, 250, true],
    [201, 299, false],
    [0, 1000, true],
    [7000, 7001, true],
  ])('touch what lies between %i and %i: %s', (fromNs, toNs, isTouched) => {
    expect(windows.touches(1, fromNs, toNs)).toBe(isTouched);
    expect(windows.touches(0, fromNs, toNs)).toBe(false);
  });

  it('are bounded: of a client that is cut off without end the last one holds the rest', () => {
    const busy = new Windows(1);
    for (let n = 0; n < 1009; n++) {
      busy.begin(0, n * 10);
      busy.end(0, n * 10 + 3);
    }
    expect(busy.touches(0, 1004, 1009)).toBe(false);
    expect(busy.touches(0, 5004, 5009)).toBe(true);
    expect(busy.touches(0, 10_084, 10_090)).toBe(false);
  });
});
