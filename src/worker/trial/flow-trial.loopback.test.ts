import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Any, defineFlow, type Flow, type Me } from '../../flow/api.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { FlowTrial } from './flow-trial.js';
import type { Happening } from './trial.js';

/** A server that answers each message with itself, and `bye` with a close. */
const http = createServer((request, response) => {
  response.statusCode = request.url === '/away' ? 503 : 200;
  response.end('{"token":"sesame-7919"}');
});
const server = new WebSocketServer({ server: http });
let target: URL;

beforeAll(async () => {
  server.on('connection', (socket: WebSocket) => {
    socket.on('message', (data: Buffer, isBinary) => {
      if (data.toString().includes('bye')) socket.close(4001, 'so long');
      else socket.send(isBinary ? data : data.toString());
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  target = new URL(`ws://127.0.0.1:${(http.address() as AddressInfo).port}/`);
});
afterAll(() => {
  server.close();
  http.close();
});

/** Runs one client of a flow. Returns what was shown, without times, and the outcomes. */
async function tried(client: (me: Me<Any, Any>) => Promise<unknown>, more: Partial<Flow<Any, Any>> = {}, given = {}) {
  const happenings: Happening[] = [];
  const trial = new FlowTrial(
    {
      ...{ flow: defineFlow({ ...more, client }), name: 'chat.ts', shared: undefined, target, number: 0, seed: 7 },
      ...{ durationMs: 60_000, load: loadOptions.parse({}), ...given },
    },
    (happening) => happenings.push(happening),
    new AbortController().signal,
  );
  const outcomes = await trial.run();
  const shown = happenings.map((each) =>
    'step' in each ? each.step : `${each.isSent ? '>' : '<'} ${each.size} ${each.content}`,
  );
  return { shown, outcomes };
}

it('shows frames, opens, closes, requests, checks and log lines in order', async () => {
  const { shown, outcomes } = await tried(async (me) => {
    await me.http.get('/hello?n=7').text();
    await me.http
      .get('/away')
      .text()
      .catch(() => undefined);
    const chat = await me.open('/feed', { parse: 'bytes' });
    chat.send({ op: 'hello' });
    await chat.next();
    chat.send(Uint8Array.of(1, 254));
    await chat.next();
    me.check('two came', true);
    me.check('three came', false);
    me.log('so far', 2);
    await chat.close(1000, 'done');
  });
  expect(shown.map((each) => each.replace(/[\d.]+ ms$/, 'T').replace(target.host, 'HOST'))).toEqual([
    ...['GET /hello?n=7: status 200, T', 'GET /away: status 503, not expected, T'],
    ...['connecting to HOST/feed', 'open', '> 14 {"op":"hello"}', '< 14 {"op":"hello"}', '> 2 01fe', '< 2 01fe'],
    ...['check kept: two came', 'check broken: three came', 'log: so far 2'],
    expect.stringMatching(/^closed: ours, code 1000/),
  ]);
  expect(outcomes).toEqual([
    { step: 'check two came' },
    { step: 'check three came', why: 'broken 1 of 1 times' },
    { step: 'finished' },
  ]);
});

it('shows messages with a mark, and keeps them from the flow as a run does', async () => {
  const got: unknown[] = [];
  const { shown, outcomes } = await tried(async (me) => {
    const chat = await me.open();
    const room = await me.join('room', async () => undefined);
    chat.on({}, ({ json }) => got.push(json));
    const keys = chat.every('1ms', { key: '{n}', mark: '{mark}' }, { owed: room.others, count: 3 });
    await keys.done;
    await chat.ask({ op: 'last' });
  });
  const keys = shown.filter((each) => each.includes('key')).map((each) => each.replace(/rs[0-9a-f]{8}x0{8}/, 'MARK'));
  expect(keys.filter((each) => each.startsWith('>'))).toEqual(
    [0, 1, 2].map((n) => `> 39 {"key":${n},"mark":"MARK${n}"}`),
  );
  expect(keys.filter((each) => each.startsWith('<'))).toHaveLength(3);
  expect(got).toEqual([]);
  expect(outcomes).toEqual([{ step: 'finished' }]);
});

it('opens each gate for the one client', async () => {
  const { outcomes } = await tried(async (me) => {
    await me.together('all');
    await me.together('many', { of: 7919, within: '1m' });
  });
  expect(outcomes).toEqual([{ step: 'finished' }]);
});

it('says why a client left, what its listeners threw, and that it still runs', async () => {
  const left = await tried(async (me) => {
    const chat = await me.open();
    chat.send('bye');
    await chat.next();
  });
  expect(left.shown.at(-1)).toBe('closed: close-code:4001, so long');
  expect(left.outcomes).toEqual([{ step: 'finished', why: expect.stringContaining('close-code:4001') }]);
  const threw = await tried(async (me) => {
    const chat = await me.open();
    chat.on({}, () => {
      throw new Error('in a listener');
    });
    chat.send({ op: 'x' });
    await chat.ask({ op: 'y' });
  });
  expect(threw.outcomes[0]).toEqual({ step: 'listeners', why: 'chat.ts: Error: in a listener' });
  const running = await tried((me) => me.sleep('1h'), {}, { durationMs: 53 });
  expect(running.outcomes).toEqual([{ step: 'still running after 53ms' }]);
});

it('hides rows, results of setup and values of secret fields', async () => {
  const data = { rows: 3, row: (client: number) => ({ user: `ada-${client}` }) };
  const { shown } = await tried(
    async (me) => {
      const { token } = await me.http.get('/').json();
      const chat = await me.open(`/?token=${token}`);
      await chat.ask({ user: me.row.user, is: me.shared.key, of: token });
    },
    { data },
    { number: 2, shared: { key: 'prime-53' } },
  );
  const all = shown.join('\n');
  expect(all).toContain('{"user":"(hidden)","is":"(hidden)","of":"(hidden)","id":1}');
  expect(all).not.toMatch(/ada|prime|sesame/);
  const lacking = await tried(async () => undefined, { data }, { number: 3 });
  expect(lacking.outcomes).toEqual([{ step: 'begun', why: expect.stringContaining('3 rows') }]);
});
