import { describe, expect, it } from 'vitest';
import { plannedRun } from '../../../test/planned.js';
import { naming } from '../../../test/refusal.js';
import { messagesBy } from '../../../test/refusals.js';
import { optionsOf } from '../../options/option.js';
import { scenarioByName, scenarios } from '../../scenarios/list.js';
import { loadSchema } from './length.js';

function planned(name: string, flags: Record<string, string>, given: { env?: object; file?: object } = {}) {
  const { env = {}, file = {} } = given as { env?: Record<string, string>; file?: Record<string, unknown> };
  return plannedRun(scenarioByName(name)!, { flags: { target: 'ws', ...flags }, env, file });
}

const problemsOf = (...asked: Parameters<typeof planned>): string[] => messagesBy(() => planned(...asked));

describe.each(['latency', 'jitter', 'deploy'])('a length of %s', (name) => {
  it.each([
    ['10s', '7/s', 70],
    ['30s', '2.5/s', 75],
    ['1m', '1/s', 60],
  ])('of %s at %s makes %d broadcasts', (durationMs, ratePerSecond, broadcasts) => {
    const { options, sources } = planned(name, { durationMs, ratePerSecond });
    expect(options).toMatchObject({ broadcasts });
    expect(options).not.toHaveProperty('durationMs');
    expect(sources.broadcasts).toBe('flag');
  });

  it('can say the same as a number of broadcasts, and nothing else', () => {
    const load = { durationMs: '20s', ratePerSecond: '3/s' };
    expect(planned(name, { ...load, broadcasts: '60' }).options.broadcasts).toBe(60);
    expect(problemsOf(name, { ...load, broadcasts: '61' })).toEqual([naming('--broadcasts', 60, '--duration 20s', 61)]);
  });
});

it('makes at least one broadcast', () => {
  expect(planned('latency', { durationMs: '1ms', ratePerSecond: '1/s' }).options.broadcasts).toBe(1);
});

it('comes from the environment or a file as well, under its name there', () => {
  const inFile = { file: { duration: '10s', rate: '7/s' } };
  const { options, sources } = planned('latency', {}, inFile);
  expect([options.broadcasts, sources.broadcasts]).toEqual([70, 'file']);
  expect(planned('latency', { ratePerSecond: '3/s' }, { env: { RINGSIDE_DURATION: '10s' } }).options.broadcasts).toBe(
    30,
  );
  expect(problemsOf('latency', { broadcasts: '7' }, inFile)).toEqual([
    naming('--broadcasts', 70, 'duration in the file', 7),
  ]);
});

it('of throughput is its own option, which no number of broadcasts contradicts', () => {
  expect(planned('throughput', { durationMs: '3s' }).options).toMatchObject({ durationMs: 3000 });
  expect(planned('throughput', { broadcasts: '7' }).options).toMatchObject({ broadcasts: 7 });
  expect(problemsOf('throughput', { durationMs: '3s', broadcasts: '7' })).toEqual([naming('--broadcasts', 300, 7)]);
});

it('is an option, or is refused with a reason, in every scenario', () => {
  for (const scenario of scenarios) {
    const isTaken = optionsOf(loadSchema(scenario)).some(({ flag }) => flag === 'duration');
    expect([scenario.name, isTaken, scenario.without?.duration !== undefined]).toEqual([
      scenario.name,
      isTaken,
      !isTaken,
    ]);
  }
});
