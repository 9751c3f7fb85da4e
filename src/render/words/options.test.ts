import { expect, it } from 'vitest';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { optionsInWords } from './values.js';

const latency = scenarioByName('latency') as Scenario;

it('tells options as they would be given, in the order of the help', () => {
  const options = {
    payloadBytes: 64_000,
    ratePerSecond: 7,
    subscribers: 10_000,
    broadcasts: 97,
    warmUp: 0,
    drainMs: 90_000,
  };
  expect(optionsInWords(latency, options)).toBe(
    'subscribers 10k · broadcasts 97 · rate 7/s · payload 64kb · warm-up 0 · drain 90s',
  );
});

it('rounds what a comparison has chosen', () => {
  expect(optionsInWords(latency, { ratePerSecond: 25 / 3 })).toBe('rate 8.33/s');
  expect(optionsInWords(latency, { ratePerSecond: 1 / 130 })).toBe('rate 0.462/m');
});

it('leaves out what has no value', () => {
  expect(optionsInWords(latency, { broadcasts: 97, unknown: 7 })).toBe('broadcasts 97');
});
