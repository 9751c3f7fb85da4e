import { expect, it } from 'vitest';
import { unknownLimits } from '../../../test/machines.js';
import { smallSource } from '../../../test/published.js';
import { problemsBy } from '../../../test/refusals.js';
import type { ShardInfo } from '../../contract/shard.js';
import { readClockId } from '../../measure/rig/machine.js';
import { optionsOf } from '../../options/option.js';
import { type PublishedTable, tablesOf } from '../../results/published.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import { type Carrier, carryProblems } from '../../run/plan/preflight.js';
import { scenarioByName } from '../../scenarios/list.js';
import { fittingPlan, planReproduction, scaled } from './plan.js';
import { readPublished } from './published.js';

const nothing: GivenForRun = { flags: {}, env: {}, file: {} };
const small = tablesOf(smallSource)[0] as PublishedTable;
const shipped = (id: string): PublishedTable => readPublished().find((table) => table.id === id) as PublishedTable;

/** The plan at a share of the clients, and the plans of its contenders. */
function planned(table: PublishedTable, scale: number, given: GivenForRun = nothing) {
  const found = planReproduction(table, { scale, time: 1 }, given);
  return { ...found, plans: found.contenders.map(({ plan }) => plan) };
}

const refusal = (table: PublishedTable) => problemsBy(() => planned(table, 1));

it('a reproduction is planned as published, for targets that Ringside has', () => {
  const { plans, changes, ours, repeat } = planned(small, 1);
  expect(plans.map(({ target }) => target.name)).toEqual(['ws', 'uws', 'socketio']);
  expect(plans[0]?.options).toMatchObject({ clients: 470, broadcasts: 23, ratePerSecond: 20, payloadBytes: 97 });
  expect(plans[0]?.sources).toMatchObject({ clients: 'published', warmUp: 'default' });
  expect(changes).toEqual([]);
  expect(ours).toBe('ramp-rate 500/s · warm-up 10 · drain 5s');
  expect(repeat).toBe(3);
  expect(new Set(plans.map(({ fleet }) => fleet.seed)).size).toBe(1);
});

it('a reproduction scales only the clients, and says so', () => {
  const { plans, changes } = planned(small, 0.1);
  expect(plans[0]?.options).toMatchObject({ clients: 47, broadcasts: 23, ratePerSecond: 20 });
  expect(changes).toEqual([{ option: 'clients', published: '470', here: '47' }]);
});

it('a reproduction takes from flags and environment how to run, not what', () => {
  const env = { RINGSIDE_CLIENTS: '7', RINGSIDE_TARGET: 'anycable', RINGSIDE_REPEAT: '5' };
  const { plans, repeat } = planned(small, 1, { flags: { workers: '2' }, env, file: {} });
  expect(plans.map(({ target }) => target.name)).toEqual(['ws', 'uws', 'socketio']);
  expect(plans[0]).toMatchObject({ options: { clients: 470 }, load: { workers: 2 } });
  expect(repeat).toBe(5);
});

it('a reproduction says if a published value is below a bound: the offline window', () => {
  const { plans, changes } = planned(shipped('bench-jitter-10k-manifest'), 0.02);
  expect(plans[0]?.options).toMatchObject({ clients: 200, offlineMs: 2000, everyMs: 15_000 });
  expect(changes).toEqual([
    { option: 'clients', published: '10k', here: '200' },
    { option: 'offline', published: '1s', here: '2s' },
  ]);
});

it('a reproduction keeps rooms of whispers while there are enough clients', () => {
  const whispers = shipped('bench-whispers-1k');
  expect(planned(whispers, 0.2).plans[0]?.options).toMatchObject({ clients: 200, room: 100 });
  const { changes } = planned(whispers, 0.05);
  expect(changes).toEqual([
    { option: 'clients', published: '1k', here: '50' },
    { option: 'room', published: '100', here: '50' },
  ]);
});

it('a reproduction has no duration beside a count of broadcasts', () => {
  const { ours, plans } = planned(shipped('bench-throughput-10k'), 0.01);
  expect(plans[0]?.options).toMatchObject({ broadcasts: 100, ratePerSecond: 100, payloadBytes: 50, publishers: 16 });
  expect(ours).not.toContain('duration');
});

it('a reproduction is refused without its scenario or its targets', () => {
  expect(refusal(tablesOf(smallSource)[1] as PublishedTable)).toMatchObject([
    { code: 'unknownName', hint: expect.stringContaining('list scenarios') },
  ]);
  const nobody = small.figures.filter(({ target }) => target === 'go-server');
  expect(refusal({ ...small, figures: nobody })).toMatchObject([
    { code: 'unknownName', message: expect.stringContaining('go-server') },
  ]);
  expect(refusal({ ...small, parameters: { colour: 'red' } })[0]?.message).toContain('colour');
});

it('a reproduction is planned for every table that can, whole and at a tenth', () => {
  for (const table of readPublished()) {
    for (const scale of [1, 0.1]) {
      const problems = problemsBy(() => {
        const { plans } = planned(table, scale);
        const { clients } = plans[0]?.scenario.demand(plans[0].options, plans[0].load) ?? {};
        expect(clients, table.id).toBeGreaterThan(0);
      });
      for (const { code } of problems) expect(code, table.id).toBe('unknownName');
    }
  }
});

const carrier = (descriptors: number): Carrier => ({
  shards: [
    {
      url: 'http://127.0.0.1:4711',
      info: {
        clockId: readClockId(),
        engine: { name: 'js' },
        limits: { ...unknownLimits, descriptors, descriptorsUsed: 31, sourcePorts: 28_232 },
      } as ShardInfo,
    },
  ],
  childDescriptors: descriptors,
});

const planAt = (scale: number) => planned(shipped('bench-latency-10k'), scale);
const scaleOf = (descriptors: number) => fittingPlan(planAt, carrier(descriptors))?.scale;

it('the largest scale that fits depends on descriptors and ports', () => {
  expect([20_000, 4096, 1024, 100].map(scaleOf)).toEqual([1, 0.2, 0.05, undefined]);
  const refused = () => planned({ ...small, parameters: { colour: 'red' } }, 1);
  expect(fittingPlan(refused, carrier(20_000))).toBeUndefined();
});

it('the largest scale that fits is smaller than what has problems', () => {
  const [plan] = planAt(1).plans;
  const codes = plan && carryProblems(plan, carrier(4096)).map(({ code }) => code);
  expect(codes).toEqual(['descriptorLimit', 'descriptorLimit']);
});

function sized(scenario: string, published: Record<string, unknown>, scale: number, time: number) {
  return scaled(published, optionsOf(scenarioByName(scenario)!.options), { scale, time });
}

it('takes a share of the clients and of the length, and leaves rates as they are', () => {
  const published = { clients: 1000, broadcasts: 100, ratePerSecond: 2 };
  expect(sized('latency', published, 0.1, 1)).toEqual({ ...published, clients: 100 });
  expect(sized('latency', published, 1, 0.2)).toEqual({ ...published, broadcasts: 20 });
  expect(sized('latency', published, 0.0001, 0.0001)).toEqual({ ...published, clients: 1, broadcasts: 1 });
});

it('takes both shares of stages', () => {
  const published = { stages: '50s:250,10s:50' };
  expect(sized('game', published, 0.2, 0.1)).toEqual({ stages: '5s:50,1s:10' });
  expect(sized('game', published, 0.001, 1)).toEqual({ stages: '50s:1,10s:1' });
});
