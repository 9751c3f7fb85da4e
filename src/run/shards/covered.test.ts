import { expect, it } from 'vitest';
import { coveredMs } from './member.js';

it('counts time that lies in several spans once', () => {
  const spans = [
    { fromMs: 17, toMs: 19 },
    { fromMs: 2, toMs: 7 },
    { fromMs: 3, toMs: 5 },
    { fromMs: 5, toMs: 11 },
  ];
  expect(coveredMs(spans)).toBe(9 + 2);
  expect(coveredMs([])).toBe(0);
});
