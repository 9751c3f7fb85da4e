import { expect, it } from 'vitest';
import { coreWaitReader } from './core-wait.js';

it('reads whole nanoseconds that never shrink', () => {
  const read = coreWaitReader();
  const values = Array.from({ length: 7 }, read);
  for (const [n, value] of values.entries()) {
    expect(Number.isSafeInteger(value)).toBe(true);
    expect(value).toBeGreaterThanOrEqual(values[n - 1] ?? 0);
  }
});
