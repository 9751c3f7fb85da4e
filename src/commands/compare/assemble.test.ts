import { describe, expect, it } from 'vitest';
import { comparison } from '../../results/comparison.js';
import { goldenResult } from '../../results/golden-result.js';
import { scenarioByName } from '../../scenarios/list.js';
import { assemble, shapeDifference } from './assemble.js';

const latency = scenarioByName('latency')!;
const golden = goldenResult();
const run = (target: string, directory: string, subscribers = 202) => ({
  directory,
  result: goldenResult({
    target: { ...golden.target, name: target },
    shape: { ...golden.shape, options: { subscribers } },
  }),
});

describe('kept runs side by side', () => {
  it('are rows of targets, runs of one target its repeats', () => {
    const runs = [run('ws', 'a'), run('uws', 'b'), run('ws', 'c')];
    const scoreboard = assemble(latency, runs, '');
    expect(scoreboard.rows.map(({ target, runs: own }) => [target, own.map(({ directory }) => directory)])).toEqual([
      ['ws', ['a', 'c']],
      ['uws', ['b']],
    ]);
    expect(scoreboard.repeat).toBe(2);
    expect(scoreboard.rows[0]?.figures.find(({ column }) => column === 'p50')?.median).toBe(
      golden.metrics.delivery?.p50,
    );
    expect(comparison.safeParse(JSON.parse(JSON.stringify(scoreboard))).success).toBe(true);
  });

  it('of different shapes show their first difference', () => {
    expect(shapeDifference([run('ws', 'a'), run('uws', 'b')])).toBeUndefined();
    expect(shapeDifference([run('ws', 'a'), run('uws', 'b'), run('ws', 'c', 1009)])).toBe(
      'options.subscribers: 202 and 1009 (a and c)',
    );
  });
});
