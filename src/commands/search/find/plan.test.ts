import { describe, expect, it } from 'vitest';
import { naming } from '../../../../test/refusal.js';
import { ProblemError } from '../../../contract/problems.js';
import { readOptions } from '../../../run/plan/plan.js';
import { scenarioByName } from '../../../scenarios/list.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import { findSchema, planFind, tryAt } from './plan.js';

const plan = (name: string, flags: Record<string, unknown>) => {
  const scenario = scenarioByName(name) as Scenario;
  const given = { flags: { target: 'metronome', limit: 'delivery.p50<53ms', ...flags }, env: {} };
  return planFind(scenario, readOptions(findSchema(scenario), given));
};

function problemsOf(name: string, flags: Record<string, unknown>): string[] {
  try {
    plan(name, flags);
  } catch (error) {
    if (error instanceof ProblemError) return error.problems.map(({ message }) => message);
    throw error;
  }
  return [];
}

const sizeAt = (name: string, flags: Record<string, unknown>, rate: number, ...keys: string[]) => {
  const { options, durationMs } = tryAt(plan(name, flags), rate);
  return [durationMs, ...keys.map((key) => options[key])];
};

describe('a run of a search', () => {
  it('lasts as long at every rate: a higher one makes it no shorter', () => {
    for (const rate of [7, 40, 640]) expect(sizeAt('latency', {}, rate, 'broadcasts')).toEqual([5000, rate * 5]);
    expect(sizeAt('latency', { durationMs: '2s' }, 97, 'broadcasts')).toEqual([2000, 194]);
    expect(sizeAt('throughput', {}, 97, 'broadcasts', 'durationMs')).toEqual([5000, 485, 5000]);
    expect(sizeAt('whisper', {}, 3, 'durationMs')).toEqual([5000, 5000]);
    expect(sizeAt('echo', { limit: 'roundTrip.p50<53ms' }, 3, 'durationMs')).toEqual([5000, 5000]);
    expect(sizeAt('connect', { limit: 'handshake.p50<53ms' }, 97, 'connections')).toEqual([5000, 485]);
  });

  it('lasts longer where its percentile needs more samples, or where a size was given', () => {
    expect(sizeAt('latency', { limit: 'delivery.p99<53ms' }, 50, 'broadcasts')).toEqual([10_000, 500]);
    expect(sizeAt('latency', { limit: 'delivery.p99<53ms' }, 200, 'broadcasts')).toEqual([5000, 1000]);
    expect(sizeAt('latency', {}, 0.313, 'broadcasts')[1]).toBe(10);
    expect(sizeAt('latency', { broadcasts: '400' }, 40, 'broadcasts')).toEqual([10_000, 400]);
    expect(sizeAt('latency', { broadcasts: '400' }, 160, 'broadcasts')).toEqual([5000, 800]);
  });

  it('keeps the length of a load in which clients drop out', () => {
    const times = { everyMs: '15s', broadcasts: '60', ratePerSecond: '2/s' };
    expect(sizeAt('jitter', times, 8, 'broadcasts')[1]).toBe(240);
    expect(sizeAt('deploy', {}, 8, 'broadcasts')[1]).toBe(240);
  });
});

it('a search goes down to rates whose runs last not much longer, up to the highest of the scenario', () => {
  const { shape, mostMs } = plan('latency', { limit: 'delivery.p99<53ms', ratePerSecond: '40/s' });
  expect(shape).toMatchObject({ startRate: 40, minRate: 10, maxRate: 100_000, repeat: 3, runsAtMost: 36 });
  // 2 s of ramp, 12.75 s of 510 broadcasts and 5 s of drain.
  expect(mostMs).toBe(36 * 19_750);
  const once = plan('connect', { limit: 'handshake.p50<53ms', repeat: '1' });
  expect(once.shape).toMatchObject({ maxRate: 1e6, repeat: 1, runsAtMost: 16 });
});

describe('a limit that cannot be searched', () => {
  it.each([
    ['delivery.p99<0ms', 'a time above 0'],
    ['delivery.p99>5ms', '< or <='],
    ['delivery.p50==5ms', '< or <='],
    ['lost==0', 'one of'],
  ])('is refused before the load: %s', (limit, expected) => {
    expect(problemsOf('latency', { limit })).toEqual([naming('--limit:', expected)]);
  });

  it('needs samples that no longer load brings', () => {
    expect(problemsOf('latency', { limit: 'connect.p99<53ms', subscribers: '7' })).toEqual([
      naming('--limit:', 500, '--subscribers'),
    ]);
    expect(problemsOf('latency', { limit: 'delivery.p99<53ms', broadcasts: '20' })).toEqual([]);
  });
});
