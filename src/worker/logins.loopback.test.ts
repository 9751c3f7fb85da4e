import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { LoginServer } from '../../test/login-server.js';
import { loadOptions } from '../scenarios/load-options.js';
import { numberOnly } from '../units/slots.js';
import { prepareLogins } from './logins.js';

const load = loadOptions.parse({ maxInFlight: 3, publishTimeoutMs: 2003 });
const never = new AbortController().signal;
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function logged(
  port: number,
  login: object,
  { capacity = 1, values = numberOnly as (number: number) => (slot: string) => string | undefined } = {},
): Promise<ReturnType<typeof prepareLogins>> {
  const target = { wsUrls: [`ws://127.0.0.1:${port}/ws`], publishUrl: '', furtherPublishUrls: [], publishHeaders: {} };
  const logins = prepareLogins({ load, target }, JSON.stringify({ post: '/login', ...login }), values);
  await logins.all({ first: 11, capacity }, never);
  return logins;
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

it.each([
  [{ json: { user: '{client}', list: ['{odd}'] } }, 'application/json', '{"user":"11","list":["\\"a&\\n\\""]}'],
  [{ form: { user: '{client}', odd: '{odd}' } }, 'application/x-www-form-urlencoded', 'user=11&odd=%22a%26%0A%22'],
  [{ body: 'u={client}' }, 'text/plain;charset=UTF-8', 'u=11'],
  [{ body: '<u/>', headers: { 'Content-Type': 'text/xml' } }, 'text/xml', '<u/>'],
  [{}, undefined, ''],
])('sends %j with its type', async (login, type, body) => {
  const server = new LoginServer();
  ends.push(() => server.close());
  const values = (number: number) => (slot: string) => (slot === 'odd' ? '"a&\n"' : String(number));
  const post = '/log in/{odd}?u={odd}';
  await logged(await server.listen(), { ...login, post, take: 'token' }, { values });
  expect(server.logins.map((each) => [each.path, each.headers['content-type'], each.body])).toEqual([
    [`/log%20in/%22a%26%0A%22?u=%22a%26%0A%22`, type, body],
  ]);
});

it('takes keys, paths and cookies, one login for each client', async () => {
  const server = new LoginServer();
  ends.push(() => server.close());
  const take = { token: 'token', id: 'data.user.id', cookie: true };
  const logins = await logged(await server.listen(), { take }, { capacity: 7 });
  const taken = Array.from({ length: 7 }, (_, client) => logins.taken(11 + client));
  expect(taken.map((each) => Number(each?.id)).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  for (const each of taken)
    expect(each).toEqual({ id: each?.id, token: `hush-${each?.id}.7919`, cookie: `sid=${each?.token}; theme=dark` });
  const { counts, causes, samples } = logins.report();
  expect([counts, causes]).toEqual([{ loginsAsked: 7, loggedIn: 7, loginsFailed: 0 }, { login: {} }]);
  expect(samples.login).toMatchObject({ kind: 'raw', values: { length: 7 } });
});

it.each([
  ['http-status:503', { take: 'token' }, (response: ServerResponse) => response.writeHead(503).end('{"token":"hush"}')],
  ['no JSON in the answer', { take: 'token' }, (response: ServerResponse) => response.end('hush')],
  ['no data.token in the answer', { take: 'data.token' }, (response: ServerResponse) => response.end('{"data":7}')],
  ['no token in the answer', { take: 'token' }, (response: ServerResponse) => response.end('{"token":{}}')],
  ['no cookie in the answer', { take: { cookie: true } }, (response: ServerResponse) => response.end('{}')],
  ['reset', { take: 'token' }, (response: ServerResponse) => response.socket?.destroy()],
  ['answer-timeout', { take: 'token' }, () => undefined],
  [
    'an answer of more than 1 MiB',
    { take: 'token' },
    (response: ServerResponse) => response.end('x'.repeat(1_100_000)),
  ],
])('fails as %s', async (why, login, answer) => {
  const port = await serve((_request, response) => void answer(response));
  const logins = await logged(port, login);
  expect(logins.failureOf(11)).toBe(`login-failed:${why}`);
  expect(logins.report()).toMatchObject({
    counts: { loginsAsked: 1, loggedIn: 0, loginsFailed: 1 },
    causes: { login: { [`login-failed:${why}`]: 1 } },
  });
});

it('sends nothing where a value does not fit into a header', async () => {
  const server = new LoginServer();
  ends.push(() => server.close());
  const values = () => () => 'a\r\nX-B: c';
  const logins = await logged(await server.listen(), { headers: { 'X-A': '{odd}' }, take: 'token' }, { values });
  expect(logins.failureOf(11)).toBe('login-failed:bad-value:x-a');
  expect(server.logins).toEqual([]);
});
