import { describe, expect, it } from 'vitest';
import { shard } from '../../../test/machines.js';
import { naming } from '../../../test/refusal.js';
import { capacityOf } from './capacity.js';

const limited = (url: string, ...limits: Parameters<typeof shard>) => ({ ...shard(...limits), url });

describe('the most clients of a fleet', () => {
  it('are as many as preflight lets pass, and what it says of one more', () => {
    const found = capacityOf([limited('http://one', { descriptors: 1223, descriptorsUsed: 21 })]);
    expect(found.clients).toBe(1223 - 21 - 200 - 64);
    expect(found.limit?.text).toEqual(naming(939, 1223));
  });

  it('are limited by the weakest shard, as all have equal shares', () => {
    const [weak, strong] = [limited('http://weak', { clients: 101 }), limited('http://strong', { clients: 7919 })];
    const { clients, limit } = capacityOf([strong, weak, strong]);
    expect(clients).toBe(3 * 101 + 1);
    expect(limit?.text).toContain('http://weak');
  });

  it('share the source ports of their machine, and have more addresses on its loopback', () => {
    const [one, other] = [limited('http://one', { sourcePorts: 997 }), limited('http://other', { sourcePorts: 997 })];
    expect(capacityOf([one, other]).clients).toBe(997);
    expect(capacityOf([one, other], '127.0.0.1').clients).toBeGreaterThan(997);
    const far = { ...other, info: { ...other.info, clockId: 'another/time:host' } };
    expect(capacityOf([one, far]).clients).toBe(2 * 997);
  });

  it('are not limited where no machine says of a limit', () => {
    expect(capacityOf([limited('http://free', { clients: 1e9 })])).toEqual({ clients: null, limit: null });
  });
});
