import { expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { readLogin, slotsOfLogin } from './login.js';

const post = '/login';
const read = (login: object) => readLogin(JSON.stringify(login));

it.each([
  ['token', { token: 'token' }],
  ['data.session.id', { id: 'data.session.id' }],
  [
    { token: 'data.token', cookie: true },
    { token: 'data.token', cookie: true },
  ],
])('takes %j', (take, taken) => {
  expect(read({ post, take })).toEqual({ login: { post, headers: {}, take: taken } });
});

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

it('refuses what is no JSON object', () => {
  expect(readLogin('hush')).toEqual({ faults: [naming('JSON object')] });
});
