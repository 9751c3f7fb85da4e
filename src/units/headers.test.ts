import { describe, expect, it } from 'vitest';
import { parseHeaders } from './headers.js';

describe('headers of an upgrade', () => {
  it('are read from lines', () => {
    const texts = ['Authorization: Bearer a:b, c', 'cookie:\ta=1; b=2 ', 'X-Empty:', 'Host: b.test'];
    expect(parseHeaders(texts)).toEqual({
      headers: { Authorization: 'Bearer a:b, c', cookie: 'a=1; b=2', 'X-Empty': '', Host: 'b.test' },
      errors: [],
    });
  });

  it.each([
    ['Bearer hush', "expected 'Name: value', received (hidden)"],
    [': hush', "expected 'Name: value', received (hidden)"],
    ['hush hush: x', 'expected a name of letters, digits and dashes, received (hidden)'],
    ['X-A: hush\r\nX-B: c', 'X-A: expected a value of Latin-1 text in one line, received (hidden)'],
    ['X-A: hush\u2713', 'X-A: expected a value of Latin-1 text in one line, received (hidden)'],
    ['Connection: hush', 'expected a header that the handshake does not make itself, received Connection'],
    ['upgrade: hush', 'expected a header that the handshake does not make itself, received upgrade'],
    [
      'Sec-WebSocket-Protocol: hush',
      'expected a header that the handshake does not make itself, received Sec-WebSocket-Protocol',
    ],
    ['Content-Length: 7', 'expected a header that the handshake does not make itself, received Content-Length'],
  ])('are refused without a word of what they hold: %j', (text, error) => {
    expect(parseHeaders([text])).toEqual({ headers: {}, errors: [error] });
  });

  it('have each name once', () => {
    expect(parseHeaders(['Cookie: a', 'cookie: hush']).errors).toEqual([
      'expected each name once, received cookie again',
    ]);
  });
});
