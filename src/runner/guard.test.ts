import { describe, expect, it } from 'vitest';
import { isLoopbackHost, pageFault, tokenFault } from './guard.js';

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

describe('a request to a service on loopback', () => {
  const json = { 'content-type': 'application/json; charset=utf-8' };

  it.each([
    ['GET', {}],
    ['GET', { host: '127.0.0.1:8080' }],
    ['GET', { host: 'LocalHost' }],
    ['GET', { host: '[::1]:8080' }],
    ['GET', { host: '127.0.0.7:8080', origin: 'http://127.0.0.7:8080' }],
    ['DELETE', { host: 'localhost:8080' }],
    ['POST', { host: 'localhost:8080', ...json }],
  ])('is a program’s, or a page’s of its own: %s %j', (method, headers) => {
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
  ])('can be that of another site: %s %j', (method, headers, why) => {
    expect(pageFault({ method, headers })).toContain(why);
  });
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
