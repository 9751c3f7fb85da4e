import { describe, expect, it } from 'vitest';
import { isLoopbackHost, tokenFault } from './guard.js';

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
