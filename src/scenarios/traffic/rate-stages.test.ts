import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { plannedRun } from '../../../test/planned.js';
import { naming } from '../../../test/refusal.js';
import type { ProblemError } from '../../contract/problems.js';
import { latency, latencyOptions } from '../latency.js';
import { throughput } from '../throughput/index.js';
import { dueInStages, loadOfStages, parseRateStages } from './rate-stages.js';

const burst = '10s:5/s,1s:500/s,30s:5/s';
const stagesOf = (text: string) => parseRateStages(text) ?? [];

describe('a schedule in stages', () => {
  it('has the broadcasts of all, at their mean rate', () => {
    expect(loadOfStages(stagesOf(burst), 10)).toEqual({ broadcasts: 690, ratePerSecond: 700 / 41 });
  });

  it('is even within each stage, and goes on where one ends', () => {
    const due = dueInStages(burst, 700);
    expect([due[0], due[1], due[49], due[50], due[51], due[549], due[550], due[551]]).toEqual([
      ...[0, 200, 9800, 10_000, 10_002, 10_998, 11_000, 11_200],
    ]);
    expect(due[699]).toBe(40_800);
  });

  it('never goes back, and ends within its time', () =>
    law(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 97 })), {
        minLength: 1,
        maxLength: 7,
      }),
      (parts) => {
        const text = parts.map(([ms, perSecond]) => `${ms}ms:${perSecond}/s`).join(',');
        const stages = parseRateStages(text);
        fc.pre(stages !== undefined);
        const { broadcasts } = loadOfStages(stages!, 0);
        const due = [0, ...dueInStages(text, broadcasts)];
        expect(due.every((each, n) => n === 0 || each >= due[n - 1]!)).toBe(true);
        expect(due.at(-1)).toBeLessThan(parts.reduce((sum, [ms]) => sum + ms, 0));
      },
    ));

  it.each(['', '10s', '0s:5/s', '1s:0/s', '1s:5/s:7', '100ms:1/s'])('cannot be %j', (text) =>
    expect(parseRateStages(text)).toBeUndefined(),
  );
});

describe('a run in stages', () => {
  const planned = (scenario: typeof latency | typeof throughput, flags: Record<string, string>) =>
    plannedRun(scenario as typeof latency, { flags: { target: 'ws', rateStages: burst, ...flags }, env: {}, file: {} });

  it.each([latency, throughput])('of $name takes broadcasts and rate from them', (scenario) => {
    const { options, sources } = planned(scenario as typeof latency, { warmUp: '7' });
    expect(options).toMatchObject({ broadcasts: 693, ratePerSecond: 700 / 41 });
    expect(sources).toMatchObject({ broadcasts: 'flag', ratePerSecond: 'flag' });
  });

  it('has no other', () => {
    const problems = (flags: Record<string, string>): string[] => {
      try {
        planned(latency, flags);
      } catch (error) {
        return (error as ProblemError).problems.map(({ message }) => message);
      }
      return [];
    };
    expect(problems({ broadcasts: '7' })).toEqual([naming('--broadcasts', '--rate-stages', 7)]);
    expect(problems({ ratePerSecond: '7/s' })).toEqual([naming('--rate', '--rate-stages', 7)]);
    expect(problems({ warmUp: '700' })).toEqual([naming('--rate-stages', 700, '--warm-up')]);
  });

  it('refuses a load that a search sets', () => {
    const load = { rateStages: burst, warmUp: 10, ...loadOfStages(stagesOf(burst), 10) };
    expect(latency.contradictions?.(latencyOptions.parse(load))).toEqual([]);
    expect(latency.contradictions?.(latencyOptions.parse({ ...load, ratePerSecond: 7 }))).toEqual([
      naming('--rate-stages', 690, '7/s'),
    ]);
  });

  it('shows its figures over time where they were due', () => {
    const load = { rateStages: burst, warmUp: 10, ...loadOfStages(stagesOf(burst), 10) };
    const { atMs } = latency.blockTimes?.(latencyOptions.parse(load)).delivery ?? {};
    expect([atMs?.(0), atMs?.(40), atMs?.(540), atMs?.(690)]).toEqual([2000, 10_000, 11_000, 41_000]);
  });
});
