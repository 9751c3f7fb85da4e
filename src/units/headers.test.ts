import { describe, expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import { headerFault, parseHeaders } from './headers.js';

describe('headers of an upgrade', () => {
  it('are read from lines', () => {
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
  ])('are refused by what is wrong, without their values: %j', (text, expected) => {
    const { headers, errors } = parseHeaders([text]);
    expect(headers).toEqual({});
    expect(errors).toEqual([expect.stringMatching(/^expected (?!.*hush)/)]);
    expect(errors[0]).toContain(expected);
  });

  it('have each name once', () => {
    expect(parseHeaders(['Cookie: a', 'cookie: hush'])).toEqual({
      headers: { Cookie: 'a' },
      errors: [naming('cookie')],
    });
  });

  it('are right one by one, too', () => {
    expect(headerFault('X-A', 'b')).toBeUndefined();
    expect(headerFault('Upgrade', 'hush')).toEqual(naming('Upgrade'));
  });
});
