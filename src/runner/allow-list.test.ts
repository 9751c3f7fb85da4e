import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AllowList, isLoopbackHost, pageFault, tokenFault } from './allow-list.js';

const allows = (entries: readonly string[], url: string): boolean => new AllowList(entries).allows(url);

it.each([
  'ws://127.0.0.1:3001/ws',
  'http://127.255.255.254/_broadcast',
  'wss://localhost/ws',
  'ws://LOCALHOST:3001/ws',
  'http://[::1]:3001/',
  'http://127.0.0.1.:3001/',
  // URLs normalise these: decimal, hexadecimal, octal and short forms of 127.0.0.1, and IPv4 within IPv6.
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://[::ffff:127.0.0.1]/',
  'http://evil.example@127.0.0.1/',
  'http://user:password@localhost/',
])('an allow-list of loopback lets pass %s', (url) => {
  expect(allows(['loopback'], url)).toBe(true);
});

it.each([
  'http://128.0.0.1/',
  'http://126.255.255.255/',
  'http://0.0.0.0/',
  'http://10.0.0.1/',
  'http://[::]/',
  'http://[::2]/',
  'http://[::ffff:10.0.0.1]/',
  'http://169.254.169.254/latest/',
  'http://ring.example/',
  'http://localhost.evil.example/',
  'http://evil-localhost/',
  'http://127.0.0.1.evil.example/',
  'http://127.0.0.1@evil.example/',
  'http://127.0.0.1:80@evil.example/',
  'http://localhost%2eevil.example/',
  'http://evil.example/#@127.0.0.1',
  'http://evil.example/?127.0.0.1',
  'http://evil.example\\@127.0.0.1/',
  'http://2886794753/',
  'http://0xac10fe01/',
])('an allow-list of loopback stops %s', (url) => {
  expect(allows(['loopback'], url)).toBe(false);
});

it('an allow-list of loopback lets pass every address of 127.0.0.0/8 and none beside, however it is written', () => {
  const addresses = fc.oneof(
    fc.nat({ max: 2 ** 32 - 1 }),
    fc.integer({ min: 127 * 2 ** 24 - 7, max: 128 * 2 ** 24 + 7 }),
  );
  const list = new AllowList(['loopback']);
  fc.assert(
    fc.property(addresses, (address) => {
      const isLoopback = address >= 127 * 2 ** 24 && address < 128 * 2 ** 24;
      for (const host of [String(address), `0x${address.toString(16)}`]) {
        expect(list.allows(`ws://${host}:3001/`)).toBe(isLoopback);
      }
    }),
  );
});

it.each([
  ['ring.example', 'ws://ring.example/', 'ws://other.ring.example/'],
  ['Ring.Example', 'ws://ring.example:7001/', 'ws://ring.example.evil/'],
  ['ring_1', 'ws://ring_1:3001/', 'ws://ring_11/'],
  ['ring.example', 'ws://RING.example/', 'ws://ring.example./'],
  ['ring.example.', 'ws://ring.example./', 'ws://ring.example/'],
  ['*.example.com', 'ws://a.b.example.com/', 'ws://example.com/'],
  ['*.example.com', 'ws://a.example.com/', 'ws://evilexample.com/'],
  ['*.example.com', 'ws://a.example.com/', 'ws://a.example.com.evil/'],
  ['10.1.2.3', 'ws://10.1.2.3:65535/', 'ws://10.1.2.4/'],
  ['10.1.2.3', 'ws://167838211/', 'ws://167838212/'],
  ['10.1.2.3', 'ws://[::ffff:10.1.2.3]/', 'ws://[::ffff:10.1.2.4]/'],
  ['10.1.2.0/23', 'ws://10.1.3.255/', 'ws://10.1.4.0/'],
  ['10.1.3.77/23', 'ws://10.1.2.0/', 'ws://10.1.1.255/'],
  ['0.0.0.0/0', 'ws://203.0.113.7/', 'ws://[2001:db8::7]/'],
  ['2001:db8::/32', 'ws://[2001:db8:ffff::7]/', 'ws://[2001:db9::]/'],
  ['2001:DB8::7', 'ws://[2001:0db8:0:0::7]/', 'ws://[2001:db8::8]/'],
])('an entry of an allow-list %s lets pass %s and stops %s', (entry, passing, stopped) => {
  const list = new AllowList([entry]);
  expect([list.allows(passing), list.allows(stopped)]).toEqual([true, false]);
});

it.each([
  '',
  '*',
  '*.',
  '*.*.example',
  'a.*.example',
  'ring.example:3001',
  'http://ring.example',
  'ring.example/ws',
  '.ring.example',
  'ring..example',
  'ring example',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/9',
  '10.0.0.0/-1',
  '10.0.0.0/8.5',
  '10.0.0.0/0x8',
  '10.0.0.0/ 8',
  '256.0.0.1',
  '127.1',
  '127.0.0.1.',
  '0x7f000001',
  '[::1]',
  '2001:db8::/129',
  'loopback/8',
])('an entry of an allow-list may not be %j', (entry) => {
  expect(() => new AllowList(['loopback', entry])).toThrow(RangeError);
});

it('an entry of an allow-list stands for itself only: a list lets pass what any of its entries does', () => {
  const list = new AllowList(['10.1.2.3', 'ring.example', '*.example.com', 'loopback']);
  expect(list.entries).toEqual(['10.1.2.3', 'ring.example', '*.example.com', 'loopback']);
  for (const host of ['10.1.2.3', 'ring.example', 'a.example.com', '127.0.0.7']) {
    expect(list.allows(`wss://${host}/`)).toBe(true);
  }
  expect(list.allows('wss://example.com/')).toBe(false);
});

it('an entry of an allow-list is not needed: an empty list stops all', () => {
  expect(allows([], 'ws://127.0.0.1/')).toBe(false);
});

describe('an Authorization header', () => {
  it.each(['Bearer lkjhgfdsa', 'bearer lkjhgfdsa', 'BEARER lkjhgfdsa'])('%j opens the service', (header) => {
    expect(tokenFault(header, 'lkjhgfdsa')).toBeUndefined();
  });

  it.each([
    ['Bearer lkjhgfds', 'another'],
    ['Bearer lkjhgfdsaa', 'another'],
    ['Bearer LKJHGFDSA', 'another'],
    ['Bearer  lkjhgfdsa', 'another'],
    ['Basic lkjhgfdsa', 'no bearer'],
    ['lkjhgfdsa', 'no bearer'],
    ['Bearer ', 'no bearer'],
    ['', 'no bearer'],
    [undefined, 'no bearer'],
  ])('%j does not: %s', (header, why) => {
    expect(tokenFault(header, 'lkjhgfdsa')).toContain(why);
  });
});

const json = { 'content-type': 'application/json; charset=utf-8' };

it.each([
  ['GET', {}],
  ['GET', { host: '127.0.0.1:8080' }],
  ['GET', { host: 'LocalHost' }],
  ['GET', { host: '[::1]:8080' }],
  ['GET', { host: '127.0.0.7:8080', origin: 'http://127.0.0.7:8080' }],
  ['DELETE', { host: 'localhost:8080' }],
  ['POST', { host: 'localhost:8080', ...json }],
])('a request to a service on loopback is a program’s, or a page’s of its own: %s %j', (method, headers) => {
  expect(pageFault({ method, headers })).toBeUndefined();
});

it.each([
  ['GET', { host: 'evil.example' }, 'evil.example'],
  ['GET', { host: '127.0.0.1.evil.example:8080' }, 'evil.example'],
  ['GET', { host: 'localhost:8080.evil.example' }, 'evil.example'],
  ['GET', { host: '' }, 'Host'],
  ['POST', { host: '10.0.0.1:8080', ...json }, '10.0.0.1'],
  ['GET', { host: 'localhost:8080', origin: 'http://localhost:3000' }, ':3000'],
  ['DELETE', { host: 'localhost:8080', origin: 'https://localhost:8080' }, 'https:'],
  ['POST', { host: 'localhost:8080', origin: 'null', ...json }, 'null'],
  ['POST', { host: 'localhost:8080' }, 'none'],
  ['POST', { host: 'localhost:8080', 'content-type': 'text/plain' }, 'text/plain'],
  ['POST', { host: 'localhost:8080', 'content-type': 'text/plain; application/json' }, 'text/plain'],
])('a request to a service on loopback can be that of another site: %s %j', (method, headers, why) => {
  expect(pageFault({ method, headers })).toContain(why);
});

describe('a listening address', () => {
  it.each(['127.0.0.1', '127.0.0.7', '127.255.255.254', '::1', 'localhost'])('%s is loopback', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '128.0.0.1',
    '',
    'ring',
    'localhost.example',
    '127.evil.example',
    '127.0.0.1.example',
  ])('%j is not', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});
