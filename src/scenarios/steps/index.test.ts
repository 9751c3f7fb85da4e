import { expect, it } from 'vitest';
import { loadOptions } from '../load-options.js';
import { steps } from './index.js';

const durationMs = (drainMs: number): number => {
  const options = steps.options.parse({ step: 7, steps: 3, sample: 11, concurrent: 2, rampRatePerSecond: 7, drainMs });
  return steps.demand(options, loadOptions.parse({})).durationMs;
};

it('plans two seconds for an operation, or as long as its answer is awaited', () => {
  // Of each step: a second of ramp, six operations one after the other, the drain, two seconds of gates.
  expect(durationMs(503)).toBe(3 * (1000 + 6 * 2000 + 503 + 2000));
  expect(durationMs(5003)).toBe(3 * (1000 + 6 * 5003 + 5003 + 2000));
});

it('sets thresholds on counts of its ledger', () => {
  const { entries } = steps.ledger({ counts: {}, causes: {}, series: {}, timeline: {} });
  expect(steps.thresholds).toEqual(['lost==0', 'unanswered==0', 'unsent==0']);
  for (const threshold of steps.thresholds ?? []) expect(entries).toHaveProperty(threshold.split('==')[0] ?? '', 0);
});
