import { describe, expect, it } from 'vitest';
import { memberOf } from '../../test/members.js';
import { scenarioCalled } from '../../test/scenarios.js';
import { watch } from './watch.js';

const scenario = scenarioCalled('latency');
const outside = {
  interrupt: new AbortController().signal,
  targetGone: new Promise<string>(() => undefined),
  look: () => undefined,
  pause: async () => undefined,
};
const done = { state: 'done', waitingFor: null, progress: {}, result: { counts: {}, stop: { code: 'completed' } } };

describe('a gate of the clients of a flow', () => {
  /** A shard with so many clients. `come` of them wait until the gate opens, and it is done once all orders are in. */
  function crowd(clients: number, come: number, orders: string[], ordered: () => boolean) {
    let isOpen = false;
    const figure = 'together:all:10000p';
    return memberOf({
      url: `http://ring:${clients}`,
      status: async () =>
        ordered()
          ? done
          : { state: 'running', waitingFor: null, progress: { there: clients, [figure]: isOpen ? 0 : come } },
      openGate: async (_job: string, gate: string) => {
        orders.push(`${clients} ${gate}`);
        isOpen = true;
      },
    });
  }

  it('opens on all shards once the clients of all shards wait', async () => {
    const orders: string[] = [];
    const all = [5, 7, 0].map((clients) => crowd(clients, clients, orders, () => orders.length >= 3));
    expect(await watch(scenario, [], all, outside)).toBeUndefined();
    expect(orders).toEqual(['5 together:all', '7 together:all', '0 together:all']);
  });

  it('stays shut while one client is still on its way', async () => {
    const orders: string[] = [];
    let polls = 0;
    const all = [crowd(5, 5, orders, () => polls++ > 20), crowd(7, 6, orders, () => polls > 20)];
    await watch(scenario, [], all, outside);
    expect(orders).toEqual([]);
  });

  it('that an earlier driver opened opens again for clients that still wait', async () => {
    const orders: string[] = [];
    const all = [crowd(5, 2, orders, () => orders.length >= 1), crowd(7, 0, orders, () => orders.length >= 1)];
    const openedBefore = new Map([['together:all', false]]);
    await watch(scenario, [], all, { ...outside, openedBefore });
    expect(orders).toEqual(['5 together:all']);
  });
});
