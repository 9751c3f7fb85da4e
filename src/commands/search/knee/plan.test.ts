import { describe, expect, it } from 'vitest';
import { naming } from '../../../../test/refusal.js';
import { ProblemError } from '../../../contract/problems.js';
import { kneeSchema, planKnee, planOfRun } from './plan.js';

const plan = (flags: Record<string, unknown> = {}, env: Record<string, string> = {}) =>
  planKnee({ flags: { target: 'metronome', ...flags }, env, file: {} });

function problemsOf(flags: Record<string, unknown>): string[] {
  try {
    plan(flags);
  } catch (error) {
    if (error instanceof ProblemError) return error.problems.map(({ message, hint }) => `${message} ${hint}`);
    throw error;
  }
  return [];
}

describe('the plan of a search', () => {
  it('says which values the search sets, and where each other came from', () => {
    const search = plan({ durationMs: '7s' }, { RINGSIDE_DRAIN: '11s' });
    const { sources, options, fleet } = planOfRun(search, 97, 13, 'there');
    expect(options).toMatchObject({ subscribers: 97, ratePerSecond: 13, durationMs: 7000, drainMs: 11_000 });
    expect(fleet.resultsDir).toBe('there');
    expect(sources).toMatchObject({
      ...{ subscribers: 'search', ratePerSecond: 'search', durationMs: 'flag', drainMs: 'environment' },
      payloadBytes: 'default',
    });
    expect(sources).not.toHaveProperty('broadcasts');
  });

  it('refuses a lowest rate that makes too few broadcasts to tell a slope by', () => {
    expect(problemsOf({ minRate: '7/s', durationMs: '1s' })).toEqual([naming('--min-rate × --duration:', 8, 7)]);
    expect(problemsOf({ minRate: '8/s', durationMs: '1s' })).toEqual([]);
  });

  it('refuses a number of subscribers that the scenario does not take, before the first run', () => {
    expect(problemsOf({ subscribers: ['7', '100000001'] })).toEqual([naming('--subscribers:', 100_000_001)]);
  });

  it('has no form that it is not printed in', () => {
    expect(Object.keys(kneeSchema.shape)).not.toContain('isMarkdown');
    expect(Object.keys(kneeSchema.shape)).toContain('isJson');
  });
});
