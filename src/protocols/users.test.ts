import { expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import { protocolOptions } from './list.js';
import { faultsOfUsers, readLogin, readUsers, slotsOfLogin } from './users.js';

it('reads rows with a mark of order, quotes, CRLF and empty lines', () => {
  const csv = '\ufeffname,"pin"\r\n\r\n"a ""b"", c",1\r\n"two\r\nlines",\r\n\r\nd,3';
  expect(readUsers(csv)).toEqual({
    columns: ['name', 'pin'],
    rows: [
      ['a "b", c', '1'],
      ['two\r\nlines', ''],
      ['d', '3'],
    ],
  });
});

it.each([
  ['name,pin\na,hush\n\nb\n', 'line 4:', '2', '1'],
  ['name,pin\na,hush,c\n', 'line 2:', '2', '3'],
  ['name,pin\na,"hush\n', 'line 2:', 'quotes'],
  ['name,pin\na,hu"sh\n', 'line 2:', 'quotes'],
  ['\nname,name\na,hush\n', 'line 2:', 'once'],
  ['client,pin\na,hush\n', 'line 1:', 'client, stream, data, n'],
  ['hush@a.test,pin\na,b\n', 'line 1:', 'letters'],
  ['name,\na,hush\n', 'line 1:', 'letters'],
  ['name\n', 'a line for each user'],
  ['', 'column names'],
])('says what is wrong with %j and where, without a value', (csv, ...parts) => {
  const read = readUsers(csv);
  expect(read).toEqual({ fault: naming(...parts) });
  expect(JSON.stringify(read)).not.toContain('hush');
});

const post = '/login';

const read = (login: object) => readLogin(JSON.stringify(login));

it.each([
  ['token', { token: 'token' }],
  ['data.session.id', { id: 'data.session.id' }],
  [
    { token: 'data.token', cookie: true },
    { token: 'data.token', cookie: true },
  ],
])('takes %j', (take, taken) => expect(read({ post, take })).toEqual({ login: { post, headers: {}, take: taken } }));

it('has slots in all that it sends', () => {
  const asked = { post: '/{a}?b={b}', json: { x: ['{c}', { y: '{client}' }] }, headers: { 'X-D': '{d}' }, take: 'e' };
  const login = read(asked);
  expect('login' in login && slotsOfLogin(login.login)).toEqual(['a', 'b', 'c', 'client', 'd']);
});

it.each<[login: object, ...parts: string[]]>([
  [{ take: 'token' }, 'post'],
  [{ post: 'ftp://hush', take: 'token' }, 'post', 'http://'],
  [{ post }, 'take'],
  [{ post, take: {} }, 'take', 'at least one'],
  [{ post, take: 'a..b' }, 'take'],
  [{ post, take: 'hush-y' }, 'take', 'map'],
  [{ post, take: { session: true } }, 'cookie: true'],
  [{ post, take: { cookie: 'hush' } }, 'cookie: true'],
  [{ post, take: 'token', json: { a: 'hush' }, body: 'hush' }, 'one of json, form and body'],
  [{ post, take: 'token', headers: { 'X-A': 'a\nhush' } }, 'X-A', 'one line'],
  [{ post, take: 'token', hush: 1 }, 'post, json, form, body, headers and take'],
])('refuses %j, and tells no value of it', (login, ...parts) => {
  const found = read(login);
  expect(found).toEqual({ faults: [naming(...parts)] });
  expect(JSON.stringify(found)).not.toContain('hush');
});

it('refuses what is no JSON object', () => expect(readLogin('hush')).toEqual({ faults: [naming('JSON object')] }));

const users = 'name,pin\na,hush\nb,hush\n';

const login = JSON.stringify({ post: '/login', json: { user: '{name}' }, take: 'token' });

const faultsOf = (values: Record<string, unknown>, wsUrl = 'ws://a.test/', clients = 2): string[] =>
  faultsOfUsers(protocolOptions, values, { wsUrls: [wsUrl], clients }).map(({ flag, text }) => `${flag}: ${text}`);

it('finds nothing where each slot has a value, and each client a row', () => {
  const headers = ['Authorization: Bearer {token}', 'X-Stream: {stream}'];
  const values = { users, login, headers, subprotocols: ['t.{pin}'], socketioAuth: '{"a":{"b":"{name}"},"c":{}}' };
  expect(faultsOf(values, 'ws://a.test/{client}/{name}?t={token}')).toEqual([]);
  expect(faultsOf({ users, reusesUsers: true }, undefined, 101)).toEqual([]);
});

it('names what has no value, and what has one', () => {
  expect(faultsOf({ headers: ['Cookie: {name}'] }, 'ws://a.test/{token}?{client}')).toEqual([
    naming('target-url:', '{client}, {stream}', '{token}'),
    naming('header:', '{client}, {stream}', '{name}'),
  ]);
  expect(faultsOf({ users, login: login.replace('{name}', '{token}'), socketioAuth: '{"a":"{b}"}' })).toEqual([
    naming('login:', '{client}, {stream}, {name}, {pin}', '{token}'),
    naming('socketio-auth:', '{client}, {stream}, {name}, {pin}, {token}', '{b}'),
  ]);
  expect(faultsOf({ users, login: login.replace('"token"', '"name"') })).toEqual([naming('login:', 'name')]);
});

it('names both numbers where rows are too few', () => {
  expect(faultsOf({ users }, undefined, 101)).toEqual([naming('users:', 101, 2, '--reuse-users')]);
  expect(faultsOf({ reusesUsers: true })).toEqual([naming('reuse-users:', '--users')]);
});

it('names the line of a wrong file alone', () =>
  expect(faultsOf({ users: 'name\n"', headers: ['Cookie: {name}'] })).toEqual([naming('users:', 'line')]));
