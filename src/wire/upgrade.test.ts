import { describe, expect, it } from 'vitest';
import { acceptFor, offerMaker, randomKey, readUpgradeAnswer, requestBeforeKey, requestMaker } from './upgrade.js';

const key = 'dGhlIHNhbXBsZSBub25jZQ==';

describe('requestBeforeKey', () => {
  it('asks for the path and query with all that RFC 6455 wants, the key last', () => {
    const request = requestBeforeKey({
      url: 'ws://127.0.0.1:8081/cable?token=7',
      headers: { Origin: 'http://a.test' },
      subprotocols: ['first', 'second'],
    });
    expect(request.split('\r\n')).toEqual([
      'GET /cable?token=7 HTTP/1.1',
      'Host: 127.0.0.1:8081',
      'Origin: http://a.test',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Protocol: first, second',
      'Sec-WebSocket-Key: ',
    ]);
  });

  it('takes a host from the headers, and names no subprotocol when none is wanted', () => {
    const request = requestBeforeKey({ url: 'wss://a.test', headers: { host: 'b.test' }, subprotocols: [] });
    expect(request).toContain('GET / HTTP/1.1\r\nhost: b.test\r\n');
    expect(request).not.toMatch(/Host:|Protocol/);
  });

  it('refuses headers that would end early', () => {
    const setup = { url: 'ws://a.test', subprotocols: [] };
    expect(() => requestBeforeKey({ ...setup, headers: { 'X-A': 'b\r\nX-C: d' } })).toThrow(TypeError);
    expect(() => requestBeforeKey({ ...setup, headers: { 'X A': 'b' } })).toThrow(TypeError);
  });
});

it('makes one request for all, unless the number of the client stands in it', () => {
  const setup = {
    url: 'ws://a.test/ws',
    headers: { 'X-A': 'b' },
    subprotocols: [],
    numberOf: (client: number) => 7 + client,
  };
  expect(requestMaker(setup)(3)).toBe(requestBeforeKey(setup));
  const request = requestMaker({
    ...setup,
    url: 'ws://a.test/ws?who={client}',
    headers: { Cookie: 'a={client}; b={client}' },
  });
  expect(request(3)).toMatch(/^GET \/ws\?who=10 [\s\S]*\r\nCookie: a=10; b=10\r\n/);
  expect(request(4)).toContain('who=11');
});

it('fills slots of the path, and those of subprotocols for each client', () => {
  const setup = { url: 'ws://a.test/{client}', headers: {}, subprotocols: ['a', 't.{client}'], numberOf: () => 7 };
  expect(requestMaker(setup)(3)).toMatch(/^GET \/7 [\s\S]*\r\nSec-WebSocket-Protocol: a, t\.7\r\n/);
  expect(offerMaker(setup)(3)).toEqual(['a', 't.7']);
});

it('makes a new key of 16 bytes for every connection', () => {
  const keys = Array.from({ length: 1009 }, randomKey);
  expect(new Set(keys).size).toBe(1009);
  expect(keys.every((one) => Buffer.from(one, 'base64').length === 16)).toBe(true);
});

it('knows the accept key of RFC 6455, section 1.3', () => {
  expect(acceptFor(key)).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
});

describe('readUpgradeAnswer', () => {
  const good = [
    'HTTP/1.1 101 Switching Protocols',
    'upgrade: WebSocket',
    'Connection: keep-alive, Upgrade',
    'Sec-WebSocket-Accept:s3pPLMBiTxaQ9kYGzzhZRbK+xOo=  ',
  ];
  const answer = (lines: string[]) => readUpgradeAnswer(lines.join('\r\n'), acceptFor(key), ['first', 'second']);
  const instead = (line: number, text: string) => good.map((old, i) => (i === line ? text : old));

  it('accepts a right one, with or without a subprotocol that was offered', () => {
    expect(answer(good)).toEqual({ isAccepted: true, subprotocol: '' });
    expect(answer([...good, 'Sec-WebSocket-Protocol: second'])).toEqual({ isAccepted: true, subprotocol: 'second' });
    expect(answer(instead(0, 'HTTP/1.1 101'))).toEqual({ isAccepted: true, subprotocol: '' });
  });

  it.each([
    [['HTTP/1.1 503 Service Unavailable', 'Retry-After: 7'], 'http-status:503'],
    [['HTTP/1.0 429 Too Many Requests'], 'http-status:429'],
    [['HTTP/1.1 200 OK', 'not a header'], 'http-status:200'],
    [['ICY 101 OK'], 'bad-upgrade:status line'],
    [['HTTP/1.1 1010 ?'], 'bad-upgrade:status line'],
    [[...good, 'not a header'], 'bad-upgrade:header line'],
    [[...good, ' folded: line'], 'bad-upgrade:header line'],
    [instead(1, 'Upgrade: h2c'), 'bad-upgrade:upgrade'],
    [instead(1, 'X-Upgrade: websocket'), 'bad-upgrade:upgrade'],
    [instead(2, 'Connection: close'), 'bad-upgrade:connection'],
    [instead(2, 'Connection: no-upgrade'), 'bad-upgrade:connection'],
    [instead(3, 'Sec-WebSocket-Accept: c3pPLMBiTxaQ9kYGzzhZRbK+xOo='), 'bad-upgrade:accept key'],
    [instead(3, 'X: y'), 'bad-upgrade:accept key'],
    [[...good, good[3]!], 'bad-upgrade:accept key'],
    [[...good, 'Sec-WebSocket-Extensions: permessage-deflate'], 'bad-upgrade:extension'],
    [[...good, 'Sec-WebSocket-Protocol: third'], 'bad-upgrade:subprotocol'],
    [[...good, 'Sec-WebSocket-Protocol: first, second'], 'bad-upgrade:subprotocol'],
  ])('refuses %j as %s', (lines, cause) => {
    expect(answer(lines)).toEqual({ isAccepted: false, cause });
  });
});
