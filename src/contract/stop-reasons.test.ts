import { describe, expect, it } from 'vitest';
import { exitCodes } from './exit-codes.js';
import { adviceOn, type StopCode, stopCodes, stopInWords, stopReasons } from './stop-reasons.js';

describe.each(stopCodes)('stop reason %s', (code: StopCode) => {
  const { isComplete, exit } = stopReasons[code];

  it('ends in an exit that there is', () => {
    expect(Object.keys(exitCodes)).toContain(exit);
  });

  it('is clean only where the run went to its end', () => {
    expect(exit === 'clean').toBe(isComplete);
  });
});

it('a stop is told with its evidence, where there is any', () => {
  expect(stopInWords({ code: 'timeOver', evidence: ['7 ms', '11 ms'] })).toBe(
    `${stopReasons.timeOver.title}: 7 ms; 11 ms`,
  );
  expect(stopInWords({ code: 'endedByDriver', evidence: [] })).toBe(stopReasons.endedByDriver.title);
  expect(stopInWords({ code: 'endedByUser', evidence: [], afterMs: 8009 })).toContain('8 s');
});

it('what to look at first is of a whole cause or of its kind, and names the protocol', () => {
  expect(adviceOn('refused', 'http-status:404', 'shootout')).toContain('shootout');
  expect(adviceOn('refused', 'http-status:503', 'shootout')).toBeUndefined();
  expect(adviceOn('targetUnreachable', 'tls:ANY', 'shootout')).toBe(adviceOn('targetUnreachable', 'tls', 'shootout'));
  expect(adviceOn('completed', 'tls', 'shootout')).toBeUndefined();
});
