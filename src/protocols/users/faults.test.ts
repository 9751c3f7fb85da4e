import { expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { protocolOptions } from '../list.js';
import { faultsOfUsers } from './faults.js';

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

it('names the line of a wrong file alone', () => {
  expect(faultsOf({ users: 'name\n"', headers: ['Cookie: {name}'] })).toEqual([naming('users:', 'line')]);
});
