import { describe, expect, it } from 'vitest';
import { drilled } from '../../../test/drilled.js';
import { shard } from '../../../test/machines.js';
import { naming } from '../../../test/refusal.js';
import { loopCapacity, mostClients, mostDeliveries } from './capacity.js';

const elsewhere = { host: undefined, prefersNative: true };
const limited = (url: string, ...limits: Parameters<typeof shard>) => drilled({ url, ...shard(...limits).info });

describe('the most clients of a fleet', () => {
  it('are as many as preflight lets pass, and what it says of one more', () => {
    const one = limited('http://one', { descriptors: 1223, descriptorsUsed: 21 });
    const found = mostClients([one], elsewhere);
    expect(found.clients).toBe(1223 - 21 - 200 - 1);
    expect(found.clientsLimit).toMatchObject({ by: 'file descriptors', url: 'http://one', text: naming(1002, 1223) });
  });

  it('are limited by the weakest shard, as all have equal shares', () => {
    const [weak, strong] = [limited('http://weak', { clients: 101 }), limited('http://strong', { clients: 7919 })];
    expect(mostClients([strong, weak, strong], elsewhere)).toMatchObject({
      clients: 3 * 101 + 1,
      clientsLimit: { by: 'the limits of a bench-runner', url: 'http://weak' },
    });
  });

  it('share the source ports of their machine, and have more addresses on its loopback', () => {
    const [one, other] = [limited('http://one', { sourcePorts: 997 }), limited('http://other', { sourcePorts: 997 })];
    expect(mostClients([one, other], elsewhere).clients).toBe(997);
    expect(mostClients([one, other], { ...elsewhere, host: '127.0.0.1' }).clients).toBeGreaterThan(997);
    const far = { ...other, clockId: 'another/time:host' };
    expect(mostClients([one, far], elsewhere).clients).toBe(2 * 997);
  });

  it('are not limited where no machine says of a limit', () => {
    const free = limited('http://free', { clients: 1e9 });
    expect(mostClients([free], elsewhere)).toEqual({ clients: null, clientsLimit: null });
  });
});

describe('the most deliveries', () => {
  const cpu = { cores: 8, quotaCores: null, stolenShare: 0, coreWaitShare: 0 };
  const cost = { busiest: 9, all: 12 };

  it('of a loop keep half of its time free', () => {
    expect(loopCapacity(cost, cpu, 1)).toEqual({ perSecondOfLoop: 50_000, loops: 4, perSecond: 200_000 });
  });

  it('of a shard are those of the cores that it has', () => {
    expect(loopCapacity(cost, { ...cpu, quotaCores: 0.2 }, 1).perSecond).toBeCloseTo((0.2 * 450_000) / 12, 6);
    expect(loopCapacity(cost, cpu, 4).perSecond).toBeCloseTo((2 * 450_000) / 12, 6);
    expect(loopCapacity(cost, { ...cpu, stolenShare: 0.5 }, 2).perSecond).toBeCloseTo((2 * 450_000) / 12, 6);
    expect(loopCapacity(cost, { ...cpu, coreWaitShare: 0.25 }, 1).perSecond).toBeCloseTo(150_000, 6);
  });

  it('of a fleet are those of its slowest shard on each', () => {
    const of = (url: string, quotaCores: number | null) => {
      const own = { ...drilled().cpu, ...cpu, quotaCores };
      const counts = { isMeasured: true as const, expected: 7, delivered: 7, cpuUs: cost };
      return drilled({ url, cpu: own, loop: { ...counts, ...loopCapacity(cost, own, 1) } });
    };
    expect(mostDeliveries([of('http://one', null), of('http://slow', 0.2), of('http://other', null)])).toMatchObject({
      deliveriesPerSecond: 3 * 7500,
      deliveriesLimit: { by: 'cores', url: 'http://slow', text: naming(0.2) },
    });
    expect(mostDeliveries([of('http://one', null)])).toMatchObject({ deliveriesPerSecond: 200_000 });
  });

  it('are not known unless every shard was tried', () => {
    const untried = drilled({ loop: { isMeasured: false, isAllowed: false, why: 'not allowed' } });
    const unknown = { deliveriesPerSecond: null, deliveriesLimit: null };
    expect(mostDeliveries([drilled(), untried])).toEqual(unknown);
    expect(mostDeliveries([])).toEqual(unknown);
  });
});
