import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latency } from '../../../test/scenarios.js';
import type { StopCode } from '../../contract/stop-reasons.js';
import type { RunResult, Verdict } from '../../results/result.js';
import { runExit, shareOfShard } from './assess.js';

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

describe('a clean exit', () => {
  const stop = { code: 'completed' as const, evidence: [] };
  const threshold = { text: 'delivery.p99<5ms', kind: 'figure', value: 5003 } as const;
  const kept = { ...threshold, isKept: true };
  const broken = { ...threshold, isKept: false };
  const undecided = { ...broken, undecidedFromUs: 4801 };
  const bounds = [{ metric: 'delivery', figure: 'p99' as const, leastUs: 4801, text: 'frames waited' }];
  const of = (thresholds: RunResult['thresholds'], isStrict = false, more: Partial<Verdict> = {}) =>
    runExit({ stop, verdict: { rig: 'clean', evidence: [], ...more }, thresholds }, latency, isStrict);

  it('is that of its thresholds, of which one that broke for sure outranks an undecided one', () => {
    expect([of([kept]), of([undecided]), of([broken, undecided])]).toEqual(['clean', 'rig', 'threshold']);
  });

  it('leaves out marks at figures, except strictly', () => {
    expect([of([], false, { bounds }), of([], true, { bounds }), of([], true)]).toEqual(['clean', 'rig', 'clean']);
  });
});

const rest = { publishesPerSecond: 1, payloadBytes: 64, durationMs: 1 };

it('deals every measured broadcast to the shard that its number says, behind the warm-up', () => {
  const counts = fc.record({
    warmUp: fc.nat(23),
    measured: fc.nat(97),
    clients: fc.nat(97),
    of: fc.integer({ min: 1, max: 13 }),
  });
  fc.assert(
    fc.property(counts, ({ warmUp, measured, clients, of }) => {
      const demand = { ...rest, clients, broadcasts: warmUp + measured, measuredBroadcasts: measured };
      const sequences = Array.from({ length: measured }, (_, n) => warmUp + n);
      for (let index = 0; index < of; index++) {
        const own = sequences.filter((sequence) => sequence % of === index).length;
        expect(shareOfShard({ index, of }, demand).broadcasts).toBe(own);
      }
    }),
  );
});

it('knows of clients alone where the run decides how much it publishes', () => {
  const demand = { ...rest, clients: 7, broadcasts: 3 };
  expect([0, 1, 2].map((index) => shareOfShard({ index, of: 3 }, demand))).toEqual(
    [3, 2, 2].map((clients) => ({ clients, broadcasts: null })),
  );
});
