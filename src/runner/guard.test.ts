import { describe, expect, it } from 'vitest';
import { carriesToken, isLoopbackHost } from './guard.js';

describe('an Authorization header', () => {
  it.each([
    ['Bearer lkjhgfdsa', true],
    ['Bearer lkjhgfds', false],
    ['Bearer lkjhgfdsaa', false],
    ['Bearer LKJHGFDSA', false],
    ['Bearer  lkjhgfdsa', false],
    ['Basic lkjhgfdsa', false],
    ['lkjhgfdsa', false],
    ['Bearer ', false],
    ['', false],
    [undefined, false],
  ])('%j carries the token: %s', (header, expected) => {
    expect(carriesToken(header, 'lkjhgfdsa')).toBe(expected);
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
