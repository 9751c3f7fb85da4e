import { expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import { scenarioCalled } from '../../test/scenarios.js';
import { aimOf } from '../measure/stats/checks.js';
import type { RunSecond } from '../results/progress.js';
import { Until, untilFault } from './until.js';

const latency = scenarioCalled('latency');
const options = latency.options.parse({ broadcasts: 6000, ratePerSecond: 100, warmUp: 0 }) as Record<string, unknown>;
const known = { count: 700, p50: 5, p95: 5, p99: 5, max: 5 };

/** Looks at each of so many seconds, whose samples lie in these bins by turns, and returns what it said when. */
function looked(text: string, bins: readonly number[], percentiles: typeof known | null = known) {
  const until = new Until(aimOf(text)!, latency, options, 7);
  const said: [second: number, text: string][] = [];
  for (let second = 1; second <= 60; second++) {
    const pairs = [bins[second % bins.length]!, 100];
    const seconds = [{ bins: [pairs, [], pairs] } as unknown as RunSecond];
    const found = until.look({ seconds, percentiles });
    if (found !== undefined) said.push([second, found]);
  }
  return said;
}

it('a run is over at the first of seven checks at which its figure is known well enough', () => {
  const checks = looked('delivery.p99 ±10%', [700]);
  // The last check is the planned end. The one before lies at two thirds of it, and so on; ten seconds are the fewest.
  expect(checks.map(([second]) => second)).toEqual([12, 18, 27, 40]);
  expect(checks[0]![1]).toMatch(/^delivery\.p99 ±10%: known to ±\d\.\d % at check 3 of 7$/);
});

it('a run goes on where its figure is not known, or has too few samples', () => {
  expect(looked('delivery.p50 ±1%', [500, 700, 900])).toEqual([]);
  expect(looked('delivery.p99 ±10%', [700], null)).toEqual([]);
});

it('a figure that the run does not time while it goes on is refused', () => {
  expect(untilFault('delivery.p99 ±10%', latency, options)).toBeUndefined();
  expect(untilFault('delivery.p90 ±10%', latency, options)).toEqual(naming('delivery.p99', 'delivery.p90'));
  expect(untilFault('publishAck.p99 ±10%', latency, options)).toEqual(naming('delivery.p99', 'publishAck.p99'));
  const idle = scenarioCalled('idle');
  expect(untilFault('delivery.p99 ±10%', idle, idle.options.parse({}))).toEqual(naming('idle'));
});
