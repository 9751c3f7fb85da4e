import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Recorder } from '../../measure/samples/recorder.js';
import { FlowFigures } from '../figures.js';
import { ClientDraws } from './draws.js';
import { ClientMe, type MeMeans } from './me.js';
import { NumberedStreams } from './streams.js';
import { Gates, Waits } from './waits.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class Own {}

function client(number = 7, seed = 5) {
  const end = new AbortController();
  const gates = new Gates();
  const lines: string[] = [];
  const clock = { ns: 0 };
  const nowNs = () => clock.ns;
  const streams = new NumberedStreams(nowNs, () => undefined);
  const figures = new FlowFigures(
    () => new Recorder(),
    nowNs,
    (line) => lines.push(line),
  );
  const given = { http: {}, open: async () => 'conn', join: async () => 'group', WebSocket: Own };
  const means: MeMeans = {
    ...{ number, row: 'Bo', target: new URL('ws://127.0.0.1:7/cable') },
    part: { shared: [1], flow: { client: async () => undefined, metrics: { puback: { meaning: 'a test' } } } },
    ...(given as unknown as Pick<MeMeans, 'http' | 'open' | 'join' | 'WebSocket'>),
    draws: new ClientDraws(seed, number),
    waits: new Waits(end.signal, () => undefined),
    worker: { totalClients: 11, gates, streams, figures, nowNs },
    check: (name, isKept) => void figures.check(name, isKept),
  };
  return { me: new ClientMe(means), means, end, gates, streams, figures, lines, clock };
}

it('a client knows itself and its run', async () => {
  const { me, means, end } = client();
  expect([me.number, me.clients, me.row, me.shared, me.target.port]).toEqual([7, 11, 'Bo', [1], '7']);
  expect([me.signal, me.http, me.WebSocket]).toEqual([end.signal, means.http, Own]);
  expect([await me.open(), await me.join('a', async () => 1)]).toEqual(['conn', 'group']);
});

it('its functions work when they are taken apart', async () => {
  const { random, check, sleep } = client().me;
  const slept = sleep('1s');
  vi.advanceTimersByTime(1000);
  await slept;
  expect([random() < 1, check('a', 'yes'), check('a', 0)]).toEqual([true, true, false]);
});

it('draws are those of seed and number, and pauses change none of them', () => {
  const draws = ({ me }: ReturnType<typeof client>) => [me.random(), me.random()];
  const paused = client();
  void paused.me.think('3s', { shape: 'lognormal' }).catch(() => undefined);
  expect(draws(paused)).toEqual(draws(client()));
  expect(draws(client(8))).not.toEqual(draws(client()));
  expect(draws(client(7, 6))).not.toEqual(draws(client()));
});

it('waits reject when the load ends, and for a wrong time', async () => {
  const { me, end, gates } = client();
  const waits = [me.sleep('1h'), me.think('1h'), me.together('all', { of: '50%' })];
  expect(gates.figures()).toEqual({ 'together:all:5000p': 1 });
  end.abort();
  for (const wait of waits) await expect(wait).rejects.toMatchObject({ name: 'Left', cause: 'ended' });
  await expect(me.sleep('soon' as '1s')).rejects.toThrow(/^me\.sleep: expected a time/);
  await expect(me.think('1s', { jitter: 3 })).rejects.toThrow(/^me\.think: expected a jitter/);
});

it('a metric of the flow gets milliseconds, and the time of work that succeeds', async () => {
  const { me, figures, clock } = client();
  me.metric('puback', 1.5);
  const work = async () => {
    clock.ns += 7e6;
    return 'done';
  };
  expect(await me.time('puback', work)).toBe('done');
  await expect(me.time('puback', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(figures.report().samples.puback).toMatchObject({ values: Uint32Array.of(1500, 7000) });
});

it('a metric is declared, and no impossible time', async () => {
  const { me, figures } = client();
  let worked = 0;
  expect(() => me.metric('puback2', 1)).toThrow('metric puback2: expected one of puback');
  await expect(me.time('toString', async () => worked++)).rejects.toThrow('metric toString: expected one of puback');
  for (const ms of [-1, Number.NaN, 1e9]) expect(() => me.metric('puback', ms)).toThrow(/expected milliseconds from 0/);
  expect([worked, figures.report().samples]).toEqual([0, {}]);
});

it('checks, streams and lines are those of the worker', () => {
  const { me, figures, streams, lines } = client();
  me.check('came', true);
  for (const number of [1, 2, 4]) me.stream('news', { seq: ({ n }) => n }).saw({ n: number });
  me.log('hello', { a: 1 });
  expect(figures.report().causes.checkKept).toEqual({ came: 1 });
  expect(streams.counts()).toMatchObject({ streamCame: 3, streamLost: 1 });
  expect(lines).toEqual(['client 7: hello { a: 1 }']);
});
