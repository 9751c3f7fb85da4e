import { describe, expect, it } from 'vitest';
import { metric, run } from '../../../test/doubles/golden-facts.js';
import { holdPairs } from '../../../test/verdict-pairs.js';
import type { RunFacts } from './facts.js';
import { linkRules } from './link-rules.js';
import { judge } from './verdict.js';

/** A run of which losses can have delayed a share, with its delivery and what that is at least. */
const lossy = (whole: [p50: number, p99: number], least: [p50: number, p99: number], more: Partial<RunFacts> = {}) => {
  const [delivery, without] = [metric(...whole, whole[1]), metric(...least, least[1])];
  return run({
    metrics: { delivery, deliveryAtLeast: delivery },
    link: { lateShare: 0.02, text: '5 of 503 data segments sent again', least: { delivery: without } },
    ...more,
  });
};

holdPairs(linkRules, {
  'link-lossy': {
    speaks: [
      lossy([3001, 292_003], [3001, 5003]),
      lossy([3001, 17_011], [3001, 13_001]),
      lossy([9001, 9001], [7001, 7001]),
    ],
    silent: [
      run(),
      // Losses of others, while the slowest deliveries were no slower than the rest.
      lossy([3001, 17_011], [3001, 14_001]),
      lossy([301, 1901], [301, 997]),
      lossy([3001, 17_011], [3001, 5003], { link: undefined }),
    ],
  },
});

describe('figures that lost segments can have written', () => {
  it('are marked with the least that is the target’s, and told once for each metric', () => {
    const { rig, doubts = [] } = judge(lossy([3001, 292_003], [3001, 5003]));
    expect(rig).toBe('clean');
    expect(doubts.map(({ metric: of, figure, leastUs }) => [of, figure, leastUs])).toEqual([
      ['delivery', 'p95', 5003],
      ['delivery', 'p99', 5003],
      ['delivery', 'p999', 5003],
      ['delivery', 'max', 5003],
    ]);
    expect(new Set(doubts.map(({ text }) => text)).size).toBe(1);
  });
});
