import fc from 'fast-check';
import { expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import { behindInterim, canBeInterim, headerFault, largestHeadBytes, parseHeaders } from './http.js';

it('headers of an upgrade are read from lines', () => {
  const texts = ['Authorization: Bearer a:b, c', 'cookie:\ta=1; b=2 ', 'X-Empty:', 'Host: b.test'];
  expect(parseHeaders(texts)).toEqual({
    headers: { Authorization: 'Bearer a:b, c', cookie: 'a=1; b=2', 'X-Empty': '', Host: 'b.test' },
    errors: [],
  });
});

it.each([
  ['Bearer hush', 'Name: value'],
  [': hush', 'Name: value'],
  ['hush hush: x', 'header name'],
  ['X-A: hush\r\nX-B: c', 'X-A in one line'],
  ['X-A: hush\u2713', 'X-A in one line'],
  ['Connection: hush', 'no Connection'],
  ['upgrade: hush', 'no upgrade'],
  ['Sec-WebSocket-Protocol: hush', 'no Sec-WebSocket-Protocol'],
  ['Content-Length: hush', 'no Content-Length'],
])('headers of an upgrade are refused by what is wrong, without their values: %j', (text, expected) => {
  const { headers, errors } = parseHeaders([text]);
  expect(headers).toEqual({});
  expect(errors).toEqual([expect.stringMatching(/^expected (?!.*hush)/)]);
  expect(errors[0]).toContain(expected);
});

it('headers of an upgrade have each name once', () => {
  expect(parseHeaders(['Cookie: a', 'cookie: hush'])).toEqual({
    headers: { Cookie: 'a' },
    errors: [naming('cookie')],
  });
});

it('headers of an upgrade are right one by one, too', () => {
  expect(headerFault('X-A', 'b')).toBeUndefined();
  expect(headerFault('Upgrade', 'hush')).toEqual(naming('Upgrade'));
});

const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n';
const last = 'HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n';
const behind = (text: string): string => behindInterim(Buffer.from(text)).toString();
const canBe = (text: string): boolean => canBeInterim(Buffer.from(text));

it('an answer begins behind its interim ones, with a reason or without, of either version', () => {
  for (const interim of ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 100\r\n\r\n', 'HTTP/1.0 199 \r\n\r\n', early])
    expect(behind(`${interim}${early}${last}`)).toBe(last);
  expect(behind(last)).toBe(last);
  expect(behind('')).toBe('');
});

it('101, other codes and other protocols are final, also in a body', () => {
  for (const final of [
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'HTTP/1.1 1000 \r\n\r\n',
    'HTTP/2 100 \r\n\r\n',
    'ok',
  ])
    expect([behind(`${early}${final}`), canBe(final)]).toEqual([final, false]);
  expect(behind(`${last}${early}`)).toBe(`${last}${early}`);
});

it('what is cut off can be interim up to where it differs, and up to the largest head', () => {
  fc.assert(
    fc.property(fc.nat({ max: early.length - 1 }), (length) => {
      const cut = early.slice(0, length);
      expect([behind(cut), canBe(cut)]).toEqual([cut, true]);
    }),
  );
  expect(['HTTP/1.1 2', 'HTTP/1.1 101', 'HTTP/2', 'x'].map(canBe)).toEqual([false, false, false, false]);
  expect([0, 1].map((more) => canBe(early.padEnd(largestHeadBytes + more, 'x')))).toEqual([true, false]);
});
