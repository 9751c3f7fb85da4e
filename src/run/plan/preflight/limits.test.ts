import { describe, expect, it } from 'vitest';
import { clockId, native, need, shard } from '../../../../test/machines.js';
import { naming } from '../../../../test/refusal.js';
import { clientBytes, kernelBytes, type RunNeed } from '../needs.js';
import { preflight } from '../preflight.js';

const codes = (asked: RunNeed, ...shards: ReturnType<typeof shard>[]): string[] =>
  preflight(asked, shards).map(({ code }) => code);

const million = (more: Partial<RunNeed> = {}): RunNeed => need({ clients: 1_000_000, ...more });

describe('descriptor tables', () => {
  it('of the native engine have the limit each, however many clients there are', () => {
    // 53 tables of 19,000 clients at most.
    const runner = shard({ descriptors: Math.ceil(1_000_000 / 53) + 200 }, native);
    expect(codes(million(), runner)).toEqual([]);
    expect(codes(million({ halfOpen: 53 }), runner)).toEqual(['descriptorLimit']);
    expect(codes(million({ prefersNative: false }), runner)).toEqual(['descriptorLimit']);
    expect(codes(million(), shard({ descriptors: 20_000 }))).toEqual(['descriptorLimit']);
  });

  it('need as many as their own clients, or as the publishes under way', () => {
    const runner = (descriptors: number) => shard({ descriptors }, native);
    expect(codes(need(), runner(1209))).toEqual([]);
    expect(codes(need(), runner(1208))).toEqual(['descriptorLimit']);
    expect(codes(need({ maxInFlight: 1201 }), runner(1401))).toEqual([]);
    expect(codes(need({ maxInFlight: 1201 }), runner(1400))).toEqual(['descriptorLimit']);
  });
});

describe('connection tracking', () => {
  const tracking = (tracked: number, most: number, clock = clockId) =>
    shard({ connectionTracking: { tracked, most } }, { clockId: clock });

  it('keeps a thousand entries for everything else', () => {
    expect(codes(need({ halfOpen: 13 }), tracking(7, 1009 + 13 + 7 + 1000))).toEqual([]);
    const [refused, ...others] = preflight(need({ halfOpen: 13 }), [tracking(7, 1009 + 13 + 7 + 999)]);
    expect(others).toEqual([]);
    expect(refused).toMatchObject({ code: 'trackingLimit', message: naming(1009, 13, 1021, 2028) });
  });

  it('is that of a machine, whatever its shards', () => {
    expect(codes(need(), tracking(0, 2009), tracking(0, 2009))).toEqual([]);
    expect(codes(need(), tracking(0, 2008), tracking(0, 2008))).toEqual(['trackingLimit']);
    expect(codes(need(), tracking(0, 1600), tracking(0, 1600, 'another/time:host'))).toEqual([]);
  });

  it('is left by a network of the run’s own, if all of the run is on this machine', () => {
    const recipe = (targetClockId: string | null) => preflight(need({ targetClockId }), [tracking(0, 7)])[0]?.hint;
    expect(recipe(clockId)).toContain('--own-network');
    expect(recipe(null)).not.toContain('--own-network');
    expect(recipe(null)).toContain('nf_conntrack_max');
  });
});

describe('memory', () => {
  const rig = (clients: number, engine: keyof typeof clientBytes): number =>
    clients * (clientBytes[engine] + kernelBytes);

  it('is that of the clients by their engine, and of the kernel', () => {
    const bytes = rig(1009, 'js');
    expect(codes(need(), shard({ memoryAvailableBytes: bytes }))).toEqual([]);
    expect(codes(need(), shard({ memoryAvailableBytes: bytes - 1 }))).toEqual(['memoryLimit']);
    expect(codes(need(), shard({ memoryAvailableBytes: rig(1009, 'native') }, native))).toEqual([]);
    expect(codes(need(), shard({ memoryAvailableBytes: rig(1009, 'native') - 1 }, native))).toEqual(['memoryLimit']);
  });

  it('of both ends is needed where the target is', () => {
    const asked = need({ targetClockId: clockId, targetProcesses: 3, targetBytes: { connection: 631, process: 7919 } });
    const bytes = rig(1009, 'js') + 1009 * (kernelBytes + 631) + 3 * 7919;
    expect(codes(asked, shard({ memoryAvailableBytes: bytes }), shard())).toEqual([]);
    expect(codes(asked, shard(), shard({ memoryAvailableBytes: bytes - 1 }))).toEqual(['memoryLimit']);
  });

  it('of a machine is shared by its bench-runners, of which each may have less', () => {
    const runner = (memoryAvailableBytes: number, machineMemoryAvailableBytes: number, clock = clockId) =>
      shard({ memoryAvailableBytes, machineMemoryAvailableBytes }, { clockId: clock });
    const [half, all] = [rig(505, 'js'), rig(1009, 'js')];
    expect(codes(need(), runner(half, all), runner(half, all))).toEqual([]);
    expect(codes(need(), runner(half, all - 1), runner(half, all - 1))).toEqual(['memoryLimit']);
    expect(codes(need(), runner(half - 1, all), runner(half, all))).toEqual(['memoryLimit']);
    expect(codes(need(), runner(half, all - 1), runner(half, all - 1, 'another/time:host'))).toEqual([]);
  });
});
