import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { scenarioByName, scenarios } from '../scenarios/list.js';
import { figureByName, figureForms, figureName, headlineValue } from './figures.js';

const latency = scenarioByName('latency')!;

describe('the name of a figure', () => {
  it.each(scenarios)('of the headline of $name finds it', (scenario) => {
    for (const column of scenario.headline) {
      const name = figureName(column);
      expect(figureByName(name, scenario)).toEqual({ ...column, title: name });
    }
  });

  it('is what stands before the sign in a threshold', () => {
    expect(figureByName('publishAck.min', latency)).toMatchObject({ metric: 'publishAck', figure: 'min' });
    expect(figureByName('delivered', latency)).toMatchObject({ kind: 'count', entry: 'delivered' });
  });

  it.each(['', '%', 'delivery', 'delivery.p98', 'nothing.p99', 'lost>=1', 'lost%', 'lost ==0', 'toString'])(
    'is none: %s',
    (name) => expect(figureByName(name, latency)).toBeUndefined(),
  );

  it('is told where none was found', () => {
    expect(figureForms(latency)).toMatch(/\bdelivery, .*\battempted, .*\bdelivered%/);
  });
});

it('has nothing to say of what a ledger did not count', () => {
  const books = { expected: 211, delivered: 199, lost: 0 };
  const count = (entry: string) => headlineValue({ title: '', kind: 'count', entry }, goldenResult({ ledger: books }));
  const share = (part: string, whole: string) =>
    headlineValue({ title: '', kind: 'share', part, whole }, goldenResult({ ledger: books }));
  expect([count('expected'), count('lost'), count('lostOnline')]).toEqual([211, 0, null]);
  expect([share('lost', 'expected'), share('live', 'expected'), share('delivered', 'wanted')]).toEqual([0, null, null]);
});
