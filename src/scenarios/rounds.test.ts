import { expect, it } from 'vitest';
import { scenarios } from './list.js';
import { clientsBegun, plannedStages } from './rounds.js';

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
