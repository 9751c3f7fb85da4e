import { describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { avalanche } from './index.js';
import { avalancheOptions } from './options.js';

const { disruption, demand } = avalanche;

describe('the avalanche', () => {
  it('plans its broadcasts to the deadline, and no time beyond', () => {
    const options = avalancheOptions.parse({ subscribers: 211, rampRatePerSecond: 100, deadlineMs: 7003 });
    expect(demand(options, {} as never)).toMatchObject({
      clients: 211,
      broadcasts: 4 + 29,
      durationMs: 2110 + 1000 + 5000 + 7003,
    });
  });

  it('has figures of all that were cut, those that were not proven back among them', () => {
    const { entries } = avalanche.ledger({ counts: {}, causes: {}, series: {}, timeline: {} });
    expect(avalanche.metrics.backAfter?.unfinished).toEqual(['backUnproven', 'notBack']);
    for (const entry of avalanche.metrics.backAfter?.unfinished ?? []) expect(entries).toHaveProperty(entry);
  });

  it('has the target restarted at a gate of one of its stages, gently unless it is told otherwise', () => {
    expect(avalanche.stages.map(({ gate }) => gate)).toContain(disruption?.gate);
    expect(disruption?.signal(avalancheOptions.parse({}))).toBe('SIGTERM');
    expect(disruption?.signal(avalancheOptions.parse({ endedBy: 'kill' }))).toBe('SIGKILL');
  });

  it.each([
    [{}, naming('of 0', '0')],
    [{ opened: 5003, cut: 0 }, naming('of 5,003', '0')],
    [{ opened: 5003, cut: 50 }, naming('of 5,003', '50')],
    [{ opened: 5003, cut: 51 }, undefined],
    [{ opened: 1, cut: 1 }, undefined],
    [{ opened: 5003, cut: 60, cutBefore: 60 }, naming('of 5,003', '0')],
  ])('knows a restart by who was cut: %j', (counts, expected) => {
    const failure = expected && { code: 'noRestart', evidence: expected };
    expect(disruption?.failed(counts, avalancheOptions.parse({}))).toEqual(failure);
  });
});
