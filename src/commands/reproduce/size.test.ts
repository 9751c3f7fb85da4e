import { expect, it } from 'vitest';
import { optionsOf } from '../../options/option.js';
import { scenarioByName } from '../../scenarios/list.js';
import { scaled } from './size.js';

function sized(scenario: string, published: Record<string, unknown>, scale: number, time: number) {
  return scaled(published, optionsOf(scenarioByName(scenario)!.options), { scale, time });
}

it('takes a share of the clients and of the length, and leaves rates as they are', () => {
  const published = { subscribers: 1000, broadcasts: 100, ratePerSecond: 2 };
  expect(sized('latency', published, 0.1, 1)).toEqual({ ...published, subscribers: 100 });
  expect(sized('latency', published, 1, 0.2)).toEqual({ ...published, broadcasts: 20 });
  expect(sized('latency', published, 0.0001, 0.0001)).toEqual({ ...published, subscribers: 1, broadcasts: 1 });
});

it('takes both shares of stages', () => {
  const published = { stages: '50s:250,10s:50' };
  expect(sized('game', published, 0.2, 0.1)).toEqual({ stages: '5s:50,1s:10' });
  expect(sized('game', published, 0.001, 1)).toEqual({ stages: '50s:1,10s:1' });
});

it('keeps a room within the audience', () => {
  expect(sized('whisper', { clients: 1000, room: 100 }, 0.05, 1)).toEqual({ clients: 50, room: 50 });
});
