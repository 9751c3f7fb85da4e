import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Checks, ClientChecks } from './checks.js';
import { ClientDraws } from './draws.js';
import { Gates } from './gates.js';
import { FlowLog } from './log.js';
import { ClientMe, type MeMeans } from './me.js';
import { NumberedStreams } from './streams.js';
import { Waits } from './waits.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class Own {}

function client(number = 7, seed = 5) {
  const end = new AbortController();
  const [checks, gates] = [new Checks(), new Gates()];
  const recorded: [name: string, us: number][] = [];
  const lines: string[] = [];
  const clock = { ns: 0 };
  const nowNs = () => clock.ns;
  const streams = new NumberedStreams(nowNs, () => undefined);
  const given = { http: {}, open: async () => 'conn', join: async () => 'group', WebSocket: Own };
  const means: MeMeans<{ name: string }, number[]> = {
    ...{ number, row: { name: 'Bo' }, target: new URL('ws://127.0.0.1:7/cable') },
    part: { shared: [1], metricNames: ['board'] },
    ...(given as unknown as Pick<MeMeans<unknown, unknown>, 'http' | 'open' | 'join' | 'WebSocket'>),
    draws: new ClientDraws(seed, number),
    waits: new Waits(end.signal, () => undefined),
    checks: new ClientChecks(checks),
    worker: {
      ...{ totalClients: 11, gates, streams, nowNs },
      log: new FlowLog(
        (line) => lines.push(line),
        () => 0,
      ),
      figures: { time: (name, us) => void recorded.push([name, us]) },
    },
  };
  return { me: new ClientMe(means), means, end, checks, gates, streams, recorded, lines, clock };
}

it('a client knows itself and its run', async () => {
  const { me, means, end } = client();
  expect([me.number, me.clients, me.row.name, me.shared, me.target.port]).toEqual([7, 11, 'Bo', [1], '7']);
  expect([me.signal, me.http, me.WebSocket]).toEqual([end.signal, means.http, Own]);
  expect([await me.open(), await me.join('a', async () => 1)]).toEqual(['conn', 'group']);
});

it('its functions work when they are taken apart', async () => {
  const { random, check, stream, log, sleep } = client().me;
  const slept = sleep('1s');
  vi.advanceTimersByTime(1000);
  await slept;
  expect([random() < 1, check('a', 'yes'), check('a', 0)]).toEqual([true, true, false]);
  stream('news', { seq: (number) => number }).saw(1);
  log('a');
});

it('draws are those of seed and number, and pauses change none of them', async () => {
  const draws = ({ me }: ReturnType<typeof client>) => [me.random(), me.random()];
  const paused = client();
  void paused.me.think('3s', { shape: 'lognormal' }).catch(() => undefined);
  expect(draws(paused)).toEqual(draws(client()));
  expect(draws(client(8))).not.toEqual(draws(client()));
  expect(draws(client(7, 6))).not.toEqual(draws(client()));
});

it('a pause has the drawn length', async () => {
  const { me } = client();
  const startMs = Date.now();
  const thought = me.think('3s', { jitter: 0.1 });
  await vi.runAllTimersAsync();
  await thought;
  expect(Math.abs(Date.now() - startMs - 3000)).toBeLessThanOrEqual(300);
});

it('waits reject when the load ends, and for a wrong time', async () => {
  const { me, end } = client();
  const waits = [me.sleep('1h'), me.think('1h'), me.together('all')];
  end.abort();
  for (const wait of waits) await expect(wait).rejects.toMatchObject({ name: 'Left', cause: 'ended' });
  await expect(me.sleep('soon' as '1s')).rejects.toThrow(/^me\.sleep: expected a time/);
  await expect(me.think('1s', { jitter: 3 })).rejects.toThrow(/^me\.think: expected a jitter/);
});

it('a gate of the run lets it on', async () => {
  const { me, gates } = client();
  const come = me.together('all', { of: '50%' });
  expect(gates.figures()).toEqual({ 'together:all:5000p': 1 });
  gates.opened('together:all');
  await come;
});

describe('a metric of the flow', () => {
  it('gets milliseconds, and the time of work that succeeds', async () => {
    const { me, recorded, clock } = client();
    me.metric('board', 1.5);
    const work = async () => {
      clock.ns += 7e6;
      return 'done';
    };
    expect(await me.time('board', work)).toBe('done');
    await expect(me.time('board', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(recorded).toEqual([
      ['board', 1500],
      ['board', 7000],
    ]);
  });

  it('is declared, and no impossible time', async () => {
    const { me, recorded } = client();
    let worked = 0;
    expect(() => me.metric('bored', 1)).toThrow('metric bored: expected one of board');
    await expect(me.time('bored', async () => worked++)).rejects.toThrow('metric bored: expected one of board');
    for (const ms of [-1, Number.NaN, 1e9])
      expect(() => me.metric('board', ms)).toThrow(/expected milliseconds from 0/);
    expect([worked, recorded]).toEqual([0, []]);
  });
});

it('checks, streams and lines are those of the worker', () => {
  const { me, checks, streams, lines } = client();
  me.check('came', true);
  for (const number of [1, 2, 4]) me.stream('news', { seq: ({ n }) => n }).saw({ n: number });
  me.log('hello', { a: 1 });
  expect(checks.report().causes.checkKept).toEqual({ came: 1 });
  expect(streams.counts()).toMatchObject({ streamCame: 3, streamLost: 1 });
  expect(lines).toEqual(['client 7: hello { a: 1 }']);
});
