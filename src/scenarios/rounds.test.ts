import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sumCounts } from '../measure/samples/sample-sum.js';
import { scenarioByName, scenarios } from './list.js';
import { behindLogins, clientsBegun, crowdFigure, fullGates, plannedStages, waitedGates } from './rounds.js';
import type { Scenario, Sums } from './scenario.js';

const spec = (name: string, gate?: string, isRound?: true) => ({
  name,
  summary: name,
  ...(gate !== undefined && { gate }),
  ...(isRound && { isRound }),
});

it('is the stages as they are where nothing is repeated; the first gate wants all clients ready', () => {
  for (const scenario of scenarios.filter(({ rounds }) => rounds === undefined)) {
    const planned = plannedStages({ ...scenario, options: {} }, 7);
    expect(planned.map((stage) => stage.spec)).toEqual(scenario.stages);
    expect(planned.map(({ name, gate }) => ({ name, gate }))).toEqual(
      scenario.stages.map(({ name, gate }) => ({ name, gate })),
    );
    const gated = planned.filter(({ gate }) => gate !== undefined);
    const awaited = 7 - (scenario.arriving?.({}) ?? 0);
    expect(gated.map(({ clients }) => clients)).toEqual(gated.map((_, n) => (n === 0 ? awaited : undefined)));
    expect(planned.some(({ enough }) => enough !== undefined)).toBe(false);
  }
});

it('repeats a round, with gates of its own and the clients that it wants ready', () => {
  const stages = [spec('ramp', 'step', true), spec('send', 'start', true), spec('probe', 'end')];
  const rounds = { count: () => 3, clients: (_: object, round: number) => 7 * (round + 1) };
  const planned = plannedStages({ stages, rounds, options: {} }, 21);
  expect(planned.map(({ name, gate, round, clients }) => [name, gate, round, clients])).toEqual([
    ['ramp', undefined, 0, undefined],
    ['send', 'start', 0, 7],
    ['ramp-2', 'step-2', 1, undefined],
    ['send-2', 'start-2', 1, 14],
    ['ramp-3', 'step-3', 2, undefined],
    ['send-3', 'start-3', 2, 21],
    ['probe', 'end', 0, undefined],
  ]);
});

it('asks before each further round, out of the figures of the one before', () => {
  const rounds = {
    count: () => 3,
    clients: () => 7,
    enough: (_: object, { slow = 0 }: Record<string, number>, round: number) =>
      slow > 1 ? `after ${round}` : undefined,
  };
  const planned = plannedStages({ stages: [spec('ramp', 'step', true)], rounds, options: {} }, 7);
  expect(planned.map(({ enough }) => enough?.({ slow: 2 }))).toEqual([undefined, 'after 1', 'after 2']);
  expect(planned.map(({ enough }) => enough?.({ slow: 1 }))).toEqual([undefined, undefined, undefined]);
});

it.each([
  [7, ['ramp', 'send']],
  [14, ['ramp', 'send', 'ramp-2']],
  [21, ['ramp', 'send', 'ramp-2', 'send-2', 'ramp-3', 'probe']],
])('asked for %i clients once %j were begun', (clients, stages) => {
  const rounds = { count: () => 3, clients: (_: object, round: number) => 7 * (round + 1) };
  const staged = { stages: [spec('ramp', 'step', true), spec('send', 'start', true), spec('probe')], options: {} };
  expect(clientsBegun({ ...staged, rounds }, 21, new Set(stages))).toBe(clients);
  expect(clientsBegun(staged, 21, new Set(stages))).toBe(21);
});

const connect = scenarioByName('connect') as Scenario;
const none: Sums = { counts: {}, causes: {}, timeline: {}, series: {} };

it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  '%s says nothing without logins',
  (_, each) => {
    const { entries } = each.ledger(none);
    expect(Object.keys(entries).filter((name) => /^log/.test(name))).toEqual([]);
    expect(each.ledgerLines(entries).map(([label]) => label)).not.toContain('logins');
  },
);

it('the ledger has logins, and breaks where they do not add up', () => {
  const causes = { login: { 'login-failed:reset': 2 } };
  const counts = { loginsAsked: 7, loggedIn: 5, loginsFailed: 2 };
  const { entries, breaks } = connect.ledger({ ...none, counts, causes });
  expect(entries).toMatchObject({ ...counts, loginsFailedByCause: causes.login });
  expect(breaks).toEqual([]);
  expect(connect.ledger({ ...none, counts: { ...counts, loggedIn: 4 } }).breaks).toHaveLength(1);
  expect(connect.ledgerLines(entries)[0]).toEqual([
    ...['logins', '7 asked = 5 logged in + 2 failed (login-failed:reset × 2)'],
  ]);
});

it('all shards wait behind their logins, at a gate of the scenario where it has one', () => {
  const gates = (name: string): (string | undefined)[] => {
    const scenario = scenarioByName(name) as Scenario;
    const planned = plannedStages({ ...scenario, options: scenario.options.parse({}) }, 7);
    return behindLogins(planned).map(({ gate }) => gate);
  };
  expect(gates('connect')).toEqual([undefined, 'start']);
  expect(gates('latency').slice(0, 2)).toEqual([undefined, 'loggedIn']);
});

const all = crowdFigure('all', { share: 1 });

it('a gate is full when all clients that are there wait', () => {
  expect([6, 7].map((waiting) => fullGates({ there: 7, [all]: waiting }))).toEqual([[], ['together:all']]);
  expect(fullGates({ there: 0, [all]: 0 })).toEqual([]);
  expect(waitedGates({ there: 7, [all]: 1, 'together:none:6': 0, received: 3 })).toEqual(['together:all']);
});

it('a gate is full when the asked number or share waits', () => {
  const full = (size: Parameters<typeof crowdFigure>[1], waiting: number, there = 200) =>
    fullGates({ there, [crowdFigure('a.b-c', size)]: waiting }).length;
  expect([full({ clients: 6 }, 5), full({ clients: 6 }, 6)]).toEqual([0, 1]);
  expect([full({ share: 0.5 }, 99), full({ share: 0.5 }, 100)]).toEqual([0, 1]);
  expect([full({ share: 0.9 }, 180), full({ share: 1e-9 }, 1)]).toEqual([1, 1]);
});

it('the largest size that clients ask for wins, and all that wait count', () => {
  const [few, half] = [crowdFigure('a', { clients: 2 }), crowdFigure('a', { share: 0.5 })];
  expect(fullGates({ there: 20, [few]: 5, [half]: 4 })).toEqual([]);
  expect(fullGates({ there: 20, [few]: 5, [half]: 5 })).toEqual(['together:a']);
});

it('without a figure of those that are there, only numbers count', () => {
  expect(fullGates({ [all]: 1000, [crowdFigure('a', { clients: 2 })]: 2 })).toEqual(['together:a']);
});

it('workers and shards add up', () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 7 }),
      (came, workers) => {
        const figures = Array.from({ length: workers }, (_, worker) => {
          const own = came.filter((_, client) => client % workers === worker);
          return { there: own.length, [all]: own.filter(Boolean).length };
        });
        expect(fullGates(sumCounts(figures)).length).toBe(came.every(Boolean) ? 1 : 0);
      },
    ),
  );
});
