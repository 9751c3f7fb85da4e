import { describe, expect, it } from 'vitest';
import { exitCodes } from './exit-codes.js';
import { type StopCode, stopCodes, stopReasons } from './stop-reasons.js';

describe.each(stopCodes)('stop reason %s', (code: StopCode) => {
  const { title, means, isComplete, exit } = stopReasons[code];

  it('ends in an exit that there is', () => {
    expect(Object.keys(exitCodes)).toContain(exit);
  });

  it('is clean only where the run went to its end', () => {
    expect(exit === 'clean').toBe(isComplete);
  });

  it('has a title of its own and a meaning', () => {
    expect(title).toMatch(/^[a-z]/);
    expect(means).not.toBe(title);
    expect(stopCodes.filter((other) => stopReasons[other].title === title)).toEqual([code]);
  });
});
