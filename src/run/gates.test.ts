import { describe, expect, it } from 'vitest';
import { shardDone as done, memberOf, outsideOfRun as outside, shardAtGate as waiting } from '../../test/members.js';
import { scenarioCalled } from '../../test/scenarios.js';
import { plannedStages } from '../scenarios/rounds.js';
import { watch } from './watch.js';

it('shards exchange their sends before the gate of that opens, and only if there are several', async () => {
  const stages = plannedStages({ ...scenarioCalled('flow'), options: { clients: 7 } }, 7);
  const acts = async (count: number): Promise<string[]> => {
    const acted: string[] = [];
    const members = Array.from({ length: count }, (_, index) => {
      let isOpen = false;
      return memberOf({
        status: async () => (isOpen ? done : { ...waiting, waitingFor: 'exchange' }),
        now: async () => ({ wallMs: 0, monotonicMs: 0, holder: null }),
        sends: async () => Uint8Array.of(index),
        learn: async (_job: string, [from]: Uint8Array) => void acted.push(`${index} learns ${from}`),
        openGate: async () => {
          isOpen = true;
          acted.push('opens');
        },
      });
    });
    await watch(scenarioCalled('flow'), stages, members, outside);
    return acted;
  };
  expect(await acts(1)).toEqual(['opens']);
  expect(await acts(2)).toEqual(['1 learns 0', '0 learns 1', 'opens', 'opens']);
});

it('shards of a run that its user ends exchange their sends, too, without one that is over', async () => {
  const acted: string[] = [];
  const interrupt = new AbortController();
  const members = [0, 1, 2].map((index) => {
    let [isFinishing, isOpen] = [false, false];
    return memberOf({
      status: async () => {
        if (isOpen || (isFinishing && index === 2)) return done;
        return { ...waiting, waitingFor: isFinishing ? 'exchange' : null };
      },
      end: async () => {
        isFinishing = true;
      },
      now: async () => ({ wallMs: 0, monotonicMs: 0, holder: null }),
      sends: async () => Uint8Array.of(index),
      learn: async (_job: string, [from]: Uint8Array) => void acted.push(`${index} learns ${from}`),
      openGate: async () => {
        isOpen = true;
        acted.push('opens');
      },
    });
  });
  const end = await watch(scenarioCalled('flow'), [], members, {
    ...outside,
    interrupt: interrupt.signal,
    keepsPart: true,
    look: () => void interrupt.abort(),
  });
  expect([end?.code, acted]).toEqual(['endedByUser', ['1 learns 0', '0 learns 1', 'opens', 'opens']]);
});

const scenario = scenarioCalled('latency');
const atOnce = { ...outside, pause: async () => undefined };

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
    expect(await watch(scenario, [], all, atOnce)).toBeUndefined();
    expect(orders).toEqual(['5 together:all', '7 together:all', '0 together:all']);
  });

  it('stays shut while one client is still on its way', async () => {
    const orders: string[] = [];
    let polls = 0;
    const all = [crowd(5, 5, orders, () => polls++ > 20), crowd(7, 6, orders, () => polls > 20)];
    await watch(scenario, [], all, atOnce);
    expect(orders).toEqual([]);
  });

  it('that an earlier driver opened opens again for clients that still wait', async () => {
    const orders: string[] = [];
    const all = [crowd(5, 2, orders, () => orders.length >= 1), crowd(7, 0, orders, () => orders.length >= 1)];
    const openedBefore = new Map([['together:all', false]]);
    await watch(scenario, [], all, { ...atOnce, openedBefore });
    expect(orders).toEqual(['5 together:all']);
  });
});
