import { describe, expect, it } from 'vitest';
import { shareOf, shareStart } from '../../measure/share.js';
import { arrivalsIn, flowOptions, sizeOfFlow } from './options.js';

/** The arrivals of all workers together, the first one first. */
function together(given: Record<string, unknown>, workers: number) {
  const options = flowOptions.parse(given);
  const { clients: totalClients } = sizeOfFlow(options);
  return Array.from({ length: workers }, (_, index) => {
    const part = {
      firstClient: shareStart(totalClients, index, workers),
      clientCount: shareOf(totalClients, index, workers),
    };
    return arrivalsIn({ options, totalClients, ...part });
  });
}

describe('the arrivals of a flow', () => {
  it('are even at the rate, in each worker at its share', () => {
    const [one = [], two = []] = together({ clients: 10, arrivalsPerSecond: 5 }, 2);
    expect(one.map(({ fromMs }) => fromMs)).toEqual([0, 400, 800, 1200, 1600]);
    expect(two).toEqual(one);
    expect(new Set(one.map(({ toMs }) => toMs))).toEqual(new Set([Number.POSITIVE_INFINITY]));
  });

  it.each([1, 2, 3])('of stages come and go as planned, over %d workers', (workers) => {
    const all = together({ stages: '10s:50,5s:50,10s:20,5s:40' }, workers).flat();
    expect(all).toHaveLength(70);
    const there = (atMs: number) => all.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs).length;
    expect([10_000, 15_000, 25_000, 30_000].map(there)).toEqual([50, 50, 20, 40]);
  });

  it('begin with the first', () => {
    for (const each of together({ stages: '10s:50,5s:0' }, 3))
      expect(each.map(({ fromMs }) => fromMs)).toEqual(each.map(({ fromMs }) => fromMs).sort((a, b) => a - b));
  });
});
