import { describe, expect, it } from 'vitest';
import { drilled, drilledCost } from '../../../test/drilled.js';
import { shard } from '../../../test/machines.js';
import { naming } from '../../../test/refusal.js';
import { loopCapacity, mostClients, mostDeliveries, type Sharing } from './capacity.js';

const elsewhere = { host: undefined, prefersNative: true };
const limited = (url: string, ...limits: Parameters<typeof shard>) => drilled({ url, ...shard(...limits).info });

describe('the most clients of a fleet', () => {
  it('are as many as preflight lets pass, and what it says of one more', () => {
    const one = limited('http://one', { descriptors: 1223, descriptorsUsed: 21 });
    const found = mostClients([one], elsewhere);
    expect(found.clients).toBe(1223 - 21 - 200 - 64);
    expect(found.clientsLimit).toMatchObject({ by: 'file descriptors', url: 'http://one', text: naming(939, 1223) });
  });

  it('are limited by the weakest shard, as all have equal shares', () => {
    const [weak, strong] = [limited('http://weak', { clients: 101 }), limited('http://strong', { clients: 7919 })];
    expect(mostClients([strong, weak, strong], elsewhere)).toMatchObject({
      clients: 3 * 101 + 1,
      clientsLimit: { by: 'the limits of a bench-runner', url: 'http://weak' },
    });
  });

  it('share the source ports of their machine', () => {
    const [one, other] = [limited('http://one', { sourcePorts: 997 }), limited('http://other', { sourcePorts: 997 })];
    expect(mostClients([one, other], elsewhere).clients).toBe(997);
    const far = { ...other, clockId: 'another/time:host' };
    expect(mostClients([one, far], elsewhere).clients).toBe(2 * 997);
  });

  // Elsewhere, loopback has one address.
  it.runIf(process.platform === 'linux')('have more addresses on the loopback of their machine', () => {
    const one = limited('http://one', { sourcePorts: 997 });
    expect(mostClients([one], { ...elsewhere, host: '127.0.0.1' }).clients).toBeGreaterThan(997);
  });

  it('are not limited where no machine says of a limit', () => {
    const free = limited('http://free', { clients: 1e9 });
    expect(mostClients([free], elsewhere)).toEqual({ clients: null, clientsLimit: null });
  });
});

describe('the most deliveries', () => {
  const cost = { ...drilledCost, cpuUs: { busiest: 9, all: 12 }, coresBeside: 0, othersCores: 0, coreShare: 1 };
  const alone = { machine: 1, quota: 1 };
  const perSecond = (more: Partial<typeof cost>, sharing: Sharing = alone): number =>
    loopCapacity({ ...cost, ...more }, 8, sharing).perSecond;

  it('of a loop keep half of its time free', () => {
    const found = loopCapacity(cost, 8, alone);
    expect(found).toEqual({ perSecondOfLoop: 50_000, loops: 4, freeCores: 8, perSecond: 200_000 });
  });

  it('of a shard are those of the cores that it has', () => {
    const byCores = (cores: number): number => (cores * 450_000) / 12;
    expect(perSecond({ quotaCores: 0.2 })).toBeCloseTo(byCores(0.2), 6);
    expect(perSecond({}, { machine: 4, quota: 1 })).toBeCloseTo(byCores(2), 6);
    expect(perSecond({ quotaCores: 1 }, { machine: 4, quota: 4 })).toBeCloseTo(byCores(0.25), 6);
    expect(perSecond({ othersCores: 4 }, { machine: 2, quota: 1 })).toBeCloseTo(byCores(2), 6);
    expect(perSecond({ othersCores: 7 })).toBeCloseTo(byCores(1), 6);
    expect(perSecond({ othersCores: 8.1 })).toBe(0);
    expect(perSecond({ coreShare: 0.5 })).toBeCloseTo(100_000, 6);
  });

  it('leave a small quota what the rest of the process takes', () => {
    const small = { quotaCores: 0.2 };
    expect(perSecond({ ...small, coresBeside: 0.03 })).toBeCloseTo(((0.2 * 0.45 - 0.03) * 1e6) / 12, 6);
    expect(perSecond({ ...small, coresBeside: 0.3 })).toBe(0);
  });

  it('of a fleet are those of its slowest shard on each', () => {
    const of = (url: string, quotaCores: number | null) => {
      const own = { ...cost, quotaCores };
      return drilled({ url, loop: { ...own, ...loopCapacity(own, 8, alone) } });
    };
    expect(mostDeliveries([of('http://one', null), of('http://slow', 0.2), of('http://other', null)])).toMatchObject({
      deliveriesPerSecond: 3 * 7500,
      deliveriesLimit: { by: 'cores', url: 'http://slow', text: naming(0.2, 12, 3) },
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
