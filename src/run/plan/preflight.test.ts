import { describe, expect, it } from 'vitest';
import { addresses, clockId, native, need, shard } from '../../../test/machines.js';
import { naming } from '../../../test/refusal.js';
import type { ShardInfo } from '../../contract/shard.js';
import { markTableBytes } from '../../measure/samples/mark-table.js';
import { clientBytes, kernelBytes, preflight, type RunNeed } from './preflight.js';

const codes = (asked: RunNeed, ...shards: ReturnType<typeof shard>[]): string[] =>
  preflight(asked, shards).map(({ code }) => code);

describe('preflight', () => {
  it('lets pass what no limit is known of', () => {
    expect(preflight(need(), [shard()])).toEqual([]);
  });

  it('counts sockets that are left half open, on every side', () => {
    const shards = [shard({ descriptors: 1287, sourcePorts: 1026 })];
    const asked = (halfOpen: number) => need({ halfOpen, targetDescriptors: 1226 });
    expect(preflight(asked(17), shards)).toEqual([]);
    const problems = preflight(asked(18), shards);
    expect(problems.map(({ code }) => code)).toEqual(['descriptorLimit', 'portLimit', 'descriptorLimit']);
    for (const { message } of problems) expect(message).toEqual(naming(1009, 18));
  });

  // 1009 clients, 61 publish connections and 200 for the process itself.
  it.each([
    [1270, null, []],
    [1269, null, ['descriptorLimit']],
    [1301, 31, []],
    [1301, 32, ['descriptorLimit']],
    [null, 32, []],
  ])('a shard with %s descriptors, of which %s are used: %j', (descriptors, descriptorsUsed, expected) => {
    expect(codes(need(), shard({ descriptors, descriptorsUsed }))).toEqual(expected);
  });

  it('asks of each shard its share only', () => {
    const small = shard({ descriptors: 505 + 61 + 200 });
    expect(codes(need(), small, shard())).toEqual([]);
    expect(codes(need(), small)).toEqual(['descriptorLimit']);
    // The first shard has the one client that is left over.
    const smaller = shard({ descriptors: 504 + 61 + 200 });
    expect(codes(need(), shard(), smaller)).toEqual([]);
    expect(codes(need(), smaller, shard())).toEqual(['descriptorLimit']);
  });

  it.each([
    [1009, 1, []],
    [1008, 1, ['portLimit']],
    [505, 2, []],
    [504, 2, ['portLimit']],
  ])('a shard with %d source ports on each of %d addresses: %j', (sourcePorts, count, expected) => {
    expect(codes(need({ sourceAddresses: addresses(count) }), shard({ sourcePorts }))).toEqual(expected);
  });

  it.each([
    [1209, []],
    [1208, ['descriptorLimit']],
  ])('a target of ours with %d descriptors holds all clients in one process: %j', (targetDescriptors, expected) => {
    expect(codes(need({ targetDescriptors }), shard(), shard())).toEqual(expected);
  });

  it('shares a target’s clients out over its processes', () => {
    const processes = (targetProcesses: number) => need({ targetDescriptors: 505 + 200, targetProcesses });
    expect(codes(processes(2), shard())).toEqual([]);
    expect(codes(processes(1), shard())).toEqual(['descriptorLimit']);
  });

  const busy = (taken: number, more: Partial<ShardInfo> = {}) => {
    const byEndpoint = { '127.0.9.9 127.0.0.1 80': 1050, '10.0.0.7 10.0.0.9 443': taken };
    const portsTaken = { byAddress: { '127.0.7.0': taken, '127.0.9.9': 1050 }, byEndpoint };
    return shard({ sourcePorts: 1050, portsTaken }, more);
  };

  it('counts the ports of one machine once, whatever its shards, and without those that are taken', () => {
    expect(codes(need(), busy(41), busy(41))).toEqual([]);
    expect(codes(need(), busy(42), busy(42))).toEqual(['portLimit']);
    // Bound to an address, a port is taken towards every process; chosen by the kernel, only towards its own.
    expect(codes(need({ targetPorts: 2 }), busy(42), busy(42))).toEqual(['portLimit']);
    expect(codes(need({ targetPorts: 2, sourceAddresses: [] }), busy(42), busy(42))).toEqual([]);
    expect(codes(need(), busy(42), busy(42, { clockId: 'another/time:host' }))).toEqual([]);
  });

  it('counts what other sockets take of each source address alone', () => {
    expect(codes(need({ sourceAddresses: ['127.0.7.1'] }), busy(1050))).toEqual([]);
    expect(codes(need({ sourceAddresses: ['127.0.7.1', '127.0.7.0'] }), busy(546))).toEqual([]);
    expect(codes(need({ sourceAddresses: ['127.0.7.1', '127.0.7.0'] }), busy(547))).toEqual(['portLimit']);
    const wildcard = { byAddress: { '0.0.0.0': 25, '::': 17 }, byEndpoint: {} };
    expect(codes(need(), shard({ sourcePorts: 1050, portsTaken: wildcard }))).toEqual(['portLimit']);
    expect(codes(need(), shard({ sourcePorts: 1051, portsTaken: wildcard }))).toEqual([]);
  });

  it('counts towards the endpoint alone where the kernel chooses, and nothing where that is not known', () => {
    const chosen = (endpoint?: string) => need({ sourceAddresses: [], endpoint });
    expect(codes(chosen('10.0.0.9 443'), busy(42))).toEqual(['portLimit']);
    expect(codes(chosen('10.0.0.9 443'), busy(41))).toEqual([]);
    expect(codes(chosen('10.0.0.9 80'), busy(42))).toEqual([]);
    expect(codes(chosen(), busy(1050))).toEqual([]);
  });

  it('refuses a target of ours where a shard is on another machine', () => {
    const far = shard({}, { clockId: 'another/time:host' }, 'http://far:8080');
    expect(codes(need({ targetClockId: clockId }), shard())).toEqual([]);
    expect(codes(need(), shard(), far)).toEqual([]);
    const [problem, ...more] = preflight(need({ targetClockId: clockId }), [shard(), far]);
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ code: 'targetOutOfReach', message: expect.stringContaining('http://far:8080') });
  });

  it('gives every problem at once, with figures and a recipe', () => {
    const short = shard({ descriptors: 1009, sourcePorts: 211 });
    const problems = preflight(need({ targetDescriptors: 1024 }), [short]);
    expect(problems.map(({ code }) => code)).toEqual(['descriptorLimit', 'portLimit', 'descriptorLimit']);
    const figures = problems.map(({ message }) => message.match(/\d{3,}/g)?.map(Number));
    expect(figures).toEqual([
      [8080, 1009, 1270, 1009, 1009],
      [8080, 1009, 211, 211, 127],
      [1009, 1209, 1024],
    ]);
    const recipes = ['ulimit -n', '--local-shards', '--local-address', 'ip_local_port_range', '--target-processes'];
    const given = problems.map(({ hint }) => recipes.filter((recipe) => hint.includes(recipe)));
    expect(given).toEqual([recipes.slice(0, 2), recipes.slice(2, 4), ['ulimit -n', '--target-processes']]);
    for (const { hint } of problems) expect(hint).toMatch(/ulimit|local-address/);
  });
});

const million = (more: Partial<RunNeed> = {}): RunNeed => need({ clients: 1_000_000, ...more });

it('descriptor tables of the native engine have the limit each, however many clients there are', () => {
  // 53 tables of 19,000 clients at most.
  const runner = shard({ descriptors: Math.ceil(1_000_000 / 53) + 200 }, native);
  expect(codes(million(), runner)).toEqual([]);
  expect(codes(million({ halfOpen: 53 }), runner)).toEqual(['descriptorLimit']);
  expect(codes(million({ prefersNative: false }), runner)).toEqual(['descriptorLimit']);
  expect(codes(million(), shard({ descriptors: 20_000 }))).toEqual(['descriptorLimit']);
});

it('descriptor tables need as many as their own clients, or as the publishes under way', () => {
  const runner = (descriptors: number) => shard({ descriptors }, native);
  expect(codes(need(), runner(1209))).toEqual([]);
  expect(codes(need(), runner(1208))).toEqual(['descriptorLimit']);
  expect(codes(need({ maxInFlight: 1201 }), runner(1401))).toEqual([]);
  expect(codes(need({ maxInFlight: 1201 }), runner(1400))).toEqual(['descriptorLimit']);
});

const tracking = (tracked: number, most: number, clock = clockId) =>
  shard({ connectionTracking: { tracked, most } }, { clockId: clock });

it('connection tracking keeps a thousand entries for everything else', () => {
  expect(codes(need({ halfOpen: 13 }), tracking(7, 1009 + 13 + 7 + 1000))).toEqual([]);
  const [refused, ...others] = preflight(need({ halfOpen: 13 }), [tracking(7, 1009 + 13 + 7 + 999)]);
  expect(others).toEqual([]);
  expect(refused).toMatchObject({ code: 'trackingLimit', message: naming(1009, 13, 1021, 2028) });
});

it('connection tracking is that of a machine, whatever its shards', () => {
  expect(codes(need(), tracking(0, 2009), tracking(0, 2009))).toEqual([]);
  expect(codes(need(), tracking(0, 2008), tracking(0, 2008))).toEqual(['trackingLimit']);
  expect(codes(need(), tracking(0, 1600), tracking(0, 1600, 'another/time:host'))).toEqual([]);
});

it('connection tracking is left by a network of the run’s own, if all of the run is on this machine', () => {
  const recipe = (targetClockId: string | null) => preflight(need({ targetClockId }), [tracking(0, 7)])[0]?.hint;
  expect(recipe(clockId)).toContain('--own-network');
  expect(recipe(null)).not.toContain('--own-network');
  expect(recipe(null)).toContain('nf_conntrack_max');
});

const rig = (clients: number, engine: keyof typeof clientBytes): number =>
  clients * (clientBytes[engine] + kernelBytes);

it('memory is that of the clients by their engine, and of the kernel', () => {
  const bytes = rig(1009, 'js');
  expect(codes(need(), shard({ memoryAvailableBytes: bytes }))).toEqual([]);
  expect(codes(need(), shard({ memoryAvailableBytes: bytes - 1 }))).toEqual(['memoryLimit']);
  expect(codes(need(), shard({ memoryAvailableBytes: rig(1009, 'native') }, native))).toEqual([]);
  expect(codes(need(), shard({ memoryAvailableBytes: rig(1009, 'native') - 1 }, native))).toEqual(['memoryLimit']);
});

it('memory holds a table of the declared sends of a flow for each shard', () => {
  const asked = need({ mostMarks: 4096, marksFlag: '--most-sends' });
  const bytes = rig(505, 'js') + markTableBytes(4096);
  expect(markTableBytes(4096) - markTableBytes(0)).toBe(4096 * 38);
  const runner = (memoryAvailableBytes: number) =>
    shard({ memoryAvailableBytes, machineMemoryAvailableBytes: rig(1009, 'js') + 2 * markTableBytes(4096) });
  expect(codes(asked, runner(bytes), runner(bytes))).toEqual([]);
  const [short] = preflight(asked, [runner(bytes - 1), runner(bytes)]);
  expect([short?.code, short?.message]).toEqual(['memoryLimit', naming(505, 4096, '--most-sends')]);
});

it('memory of both ends is needed where the target is', () => {
  const asked = need({ targetClockId: clockId, targetProcesses: 3, targetBytes: { connection: 631, process: 7919 } });
  const bytes = rig(1009, 'js') + 1009 * (kernelBytes + 631) + 3 * 7919;
  expect(codes(asked, shard({ memoryAvailableBytes: bytes }), shard())).toEqual([]);
  expect(codes(asked, shard(), shard({ memoryAvailableBytes: bytes - 1 }))).toEqual(['memoryLimit']);
});

it('memory of a machine is shared by its bench-runners, of which each may have less', () => {
  const runner = (memoryAvailableBytes: number, machineMemoryAvailableBytes: number, clock = clockId) =>
    shard({ memoryAvailableBytes, machineMemoryAvailableBytes }, { clockId: clock });
  const [half, all] = [rig(505, 'js'), rig(1009, 'js')];
  expect(codes(need(), runner(half, all), runner(half, all))).toEqual([]);
  expect(codes(need(), runner(half, all - 1), runner(half, all - 1))).toEqual(['memoryLimit']);
  expect(codes(need(), runner(half - 1, all), runner(half, all))).toEqual(['memoryLimit']);
  expect(codes(need(), runner(half, all - 1), runner(half, all - 1, 'another/time:host'))).toEqual([]);
});
