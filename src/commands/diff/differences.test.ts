import { describe, expect, it } from 'vitest';
import { goldenResult, goldenShard } from '../../../test/golden-result.js';
import { naming } from '../../../test/refusal.js';
import type { EngineUse } from '../../contract/engine.js';
import type { RunResult } from '../../results/result.js';
import { differences, hasOtherSpeed } from './diff.js';

function runAt(...coreSpeeds: [before: number, after: number][]): RunResult {
  const shards = coreSpeeds.map((coreSpeed, index) => {
    const golden = goldenShard(index);
    const rig = { ...golden.rig, shard: { ...golden.rig.shard, coreSpeed } };
    return { url: '', state: 'complete' as const, why: '', result: goldenShard(index, { rig }) };
  });
  return goldenResult({ shards });
}

function runOn(...names: EngineUse['name'][]): RunResult {
  const counts = { handedOver: 0, reads: 0, exact: 0, bracketed: 0, unstamped: 0, clockSteps: 0 };
  const shards = names.map((name, index) => {
    const engines = [{ name, ...counts, loops: 0, cpuNs: 0, coreWaitNs: 0 }];
    const rig = { ...goldenShard(index).rig, engines };
    return { url: '', state: 'complete' as const, why: '', result: goldenShard(index, { rig }) };
  });
  return goldenResult({ shards });
}

describe('the engine of the clients', () => {
  it('differs if another one ran, whatever was asked for', () => {
    expect(differences([runOn('js', 'js')], [runOn('js')])).toEqual([]);
    expect(differences([runOn('js')], [runOn('native')])).toEqual(['engine: js and native']);
    expect(differences([runOn('native', 'native')], [runOn('native', 'js')])).toEqual([
      'engine: native and js + native',
    ]);
  });
});

const even = [runAt([500, 510])];

describe('the speed of a core', () => {
  it('does not differ within the variation of one core', () => {
    expect(differences(even, [runAt([470, 530])])).toEqual([]);
    expect(hasOtherSpeed(even, [runAt([470, 530])])).toBe(false);
  });

  it('differs if a shard was slower, before or after its load', () => {
    const slow = [runAt([500, 510], [503, 211])];
    expect(differences(even, slow)).toEqual([naming(500, 211, 'steps/µs')]);
    expect(hasOtherSpeed(slow, even)).toBe(true);
  });

  it('is the median of the runs of a side', () => {
    const slow = runAt([211, 223]);
    expect(hasOtherSpeed(even, [slow, ...even, ...even])).toBe(false);
    expect(hasOtherSpeed(even, [slow, ...even, slow])).toBe(true);
  });

  it('is unknown if every shard was lost or nothing ran', () => {
    const lost = [goldenResult({ shards: [{ url: '', state: 'lost', why: 'gone', result: null }] })];
    for (const none of [lost, []]) {
      expect(hasOtherSpeed(even, none)).toBe(false);
      expect(differences(even, none)).toEqual([]);
    }
  });
});
