import { describe, expect, it } from 'vitest';
import type { StopCode } from '../../contract/stop-reasons.js';
import type { RunResult, Verdict } from '../../results/result.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { runExit } from './assess.js';

const latency = scenarioByName('latency') as Scenario;

describe('the exit of a run', () => {
  const of = (code: StopCode, rig: 'clean' | 'limited' | 'void') =>
    runExit({ stop: { code, evidence: [] }, verdict: { rig, evidence: [] }, thresholds: [] }, latency, false);

  it('is that of its verdict, when it went to its end', () => {
    expect([of('completed', 'clean'), of('completed', 'limited'), of('completed', 'void')]).toEqual([
      'clean',
      'rig',
      'rig',
    ]);
  });

  it('is that of its stop reason otherwise, though the verdict is always void then', () => {
    expect(of('interrupted', 'void')).toBe('interrupted');
    expect(of('endedByUser', 'clean')).toBe('interrupted');
    expect(of('shardLost', 'void')).toBe('shardLost');
    expect(of('rigFault', 'void')).toBe('bug');
    expect(of('targetGone', 'void')).toBe('rig');
    expect(of('nothingDelivered', 'void')).toBe('rig');
    expect([of('publishesShort', 'clean'), of('publishesShort', 'limited')]).toEqual(['threshold', 'rig']);
  });
});

describe('the exit of a clean run', () => {
  const stop = { code: 'completed' as const, evidence: [] };
  const threshold = { text: 'delivery.p99<5ms', kind: 'figure', value: 5003 } as const;
  const kept = { ...threshold, isKept: true };
  const broken = { ...threshold, isKept: false };
  const undecided = { ...broken, undecidedFromUs: 4801 };
  const doubts = [{ metric: 'delivery', figure: 'p99' as const, leastUs: 4801, text: 'frames waited' }];
  const of = (thresholds: RunResult['thresholds'], isStrict = false, more: Partial<Verdict> = {}) =>
    runExit({ stop, verdict: { rig: 'clean', evidence: [], ...more }, thresholds }, latency, isStrict);

  it('is that of its thresholds, of which one that broke for sure outranks an undecided one', () => {
    expect([of([kept]), of([undecided]), of([broken, undecided])]).toEqual(['clean', 'rig', 'threshold']);
  });

  it('leaves out marks at figures, except strictly', () => {
    expect([of([], false, { doubts }), of([], true, { doubts }), of([], true)]).toEqual(['clean', 'rig', 'clean']);
  });
});
