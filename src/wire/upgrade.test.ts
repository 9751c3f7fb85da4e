import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../test/law.js';
import { AcceptedHead, acceptFor, offerMaker, randomKey, readUpgradeAnswer, requestBeforeKey } from './upgrade.js';

const key = 'dGhlIHNhbXBsZSBub25jZQ==';

describe('requestBeforeKey', () => {
  it('asks for the path and query with all that RFC 6455 wants, the key last', () => {
    const request = requestBeforeKey({
      url: 'ws://127.0.0.1:8081/cable?token=7',
      headers: { Origin: 'http://a.test' },
      subprotocols: ['first', 'second'],
    });
    expect(request.split('\r\n')).toEqual([
      ...['GET /cable?token=7 HTTP/1.1', 'Host: 127.0.0.1:8081', 'Origin: http://a.test', 'Upgrade: websocket'],
      ...['Connection: Upgrade', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Protocol: first, second'],
      ...['Sec-WebSocket-Key: '],
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
  expect(offerMaker(setup)(3).beforeKey).toBe(requestBeforeKey(setup));
  const request = offerMaker({
    ...setup,
    url: 'ws://a.test/ws?who={client}',
    headers: { Cookie: 'a={client}; b={client}' },
  });
  expect(request(3).beforeKey).toMatch(/^GET \/ws\?who=10 [\s\S]*\r\nCookie: a=10; b=10\r\n/);
  expect(request(4).beforeKey).toContain('who=11');
});

it('fills slots of the path, and those of subprotocols for each client', () => {
  const setup = { url: 'ws://a.test/{client}', headers: {}, subprotocols: ['a', 't.{client}'], numberOf: () => 7 };
  expect(offerMaker(setup)(3).beforeKey).toMatch(/^GET \/7 [\s\S]*\r\nSec-WebSocket-Protocol: a, t\.7\r\n/);
  expect(offerMaker(setup)(3).subprotocols).toEqual(['a', 't.7']);
});

it('asks for what one connection wants in place of all that the setup has', () => {
  const setup = { url: 'ws://a.test/{client}', headers: { X: 'y' }, subprotocols: ['a'], numberOf: () => 7 };
  const own = { pathAndQuery: '/own?a=%20', headers: { Cookie: 'c' }, subprotocols: ['b', 'c'] };
  const { beforeKey, subprotocols } = offerMaker(setup)(3, own);
  expect(beforeKey).toMatch(/^GET \/own\?a=%20 HTTP\/1\.1\r\nHost: a\.test\r\nCookie: c\r\nUpgrade/);
  expect(beforeKey).toContain('\r\nSec-WebSocket-Protocol: b, c\r\n');
  expect(subprotocols).toEqual(['b', 'c']);
  for (const pathAndQuery of ['', 'x', '/a b', '/\r\nX: y', '/é'])
    expect(() => offerMaker(setup)(3, { ...own, pathAndQuery })).toThrow(TypeError);
  expect(() => offerMaker(setup)(3, { ...own, headers: { 'X A': 'b' } })).toThrow(TypeError);
});

it('makes a new key of 16 bytes for every connection', () => {
  const keys = Array.from({ length: 1009 }, randomKey);
  expect(new Set(keys).size).toBe(1009);
  expect(keys.every((one) => Buffer.from(one, 'base64').length === 16)).toBe(true);
});

it('knows the accept key of RFC 6455, section 1.3', () => expect(acceptFor(key)).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo='));

describe('readUpgradeAnswer', () => {
  const good = [
    ...['HTTP/1.1 101 Switching Protocols', 'upgrade: WebSocket', 'Connection: keep-alive, Upgrade'],
    ...['Sec-WebSocket-Accept:s3pPLMBiTxaQ9kYGzzhZRbK+xOo=  '],
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
  ])('refuses %j as %s', (lines, cause) => expect(answer(lines)).toEqual({ isAccepted: false, cause }));
});

const [first, second] = [acceptFor('dGhlIHNhbXBsZSBub25jZQ=='), acceptFor('x3JJHMbDL1EzLkh9GBhXDw==')] as const;

const behind = Buffer.from('8105');

const headOf = (accept: string, more = '') =>
  Buffer.from(
    `HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\nConnection: upgrade\r\n${more}\r\n`,
  );

/** One read of the shared buffer: the head, what came behind it, and the leavings of other reads. */
const lengthIn = (accepted: AcceptedHead, head: Buffer, accept: string, offered: readonly string[] = []) =>
  accepted.lengthIn(Buffer.concat([head, behind, head]), head.length + behind.length, accept, offered);

function remembering(head: Buffer, accept = first, subprotocol = ''): AcceptedHead {
  const accepted = new AcceptedHead();
  accepted.remember(head, accept, { isAccepted: true, subprotocol });
  return accepted;
}

it('knows no head at first', () => expect(lengthIn(new AcceptedHead(), headOf(first), first)).toBe(0));

it('knows the head again with every other key, and what was chosen in it', () => {
  const accepted = remembering(headOf(first), first, 'chosen');
  for (const accept of [second, first, second]) {
    expect(lengthIn(accepted, headOf(accept), accept, ['other', 'chosen'])).toBe(headOf(accept).length);
  }
  // Another client did not offer it, so its answer must be read.
  expect(lengthIn(accepted, headOf(first), first, ['other'])).toBe(0);
  expect(accepted.subprotocol).toBe('chosen');
});

it('knows it anywhere in a buffer, by its own judgement', () => {
  const accepted = new AcceptedHead();
  const [known, next] = [headOf(first), headOf(second)];
  expect(accepted.judge(headOf(second), first, [])).toEqual({ isAccepted: false, cause: 'bad-upgrade:accept key' });
  expect(accepted.lengthIn(known, known.length, first, [])).toBe(0);
  expect(accepted.judge(known, first, [])).toEqual({ isAccepted: true, subprotocol: '' });
  const bytes = Buffer.concat([behind, next, behind]);
  const end = behind.length + next.length;
  expect(accepted.lengthIn(bytes, end, second, [], behind.length)).toBe(next.length);
  expect(accepted.lengthIn(bytes, end - 1, second, [], behind.length)).toBe(0);
});

it('keeps a copy, for the read buffer is soon another', () => {
  const head = headOf(first);
  const accepted = remembering(head);
  head.fill(0);
  expect(lengthIn(accepted, headOf(second), second)).toBeGreaterThan(0);
});

it.each([
  ['the answer to another key', headOf(first)],
  ['another header', headOf(second, 'X: y\r\n')],
  ['a header the less', headOf(second).subarray(0, -13)],
  ['another status', Buffer.from(headOf(second).toString().replace('101', '200'))],
])('does not know %s', (_what, head) => expect(lengthIn(remembering(headOf(first)), head, second)).toBe(0));

it('does not know a head that has not come whole, though the buffer holds the rest of an old one', () => {
  const head = headOf(second);
  expect(remembering(headOf(first)).lengthIn(head, head.length - 1, second, [])).toBe(0);
});

it('keeps no head that names the key twice', () => {
  const accepted = remembering(headOf(first));
  accepted.remember(headOf(second, `X: ${second}\r\n`), second, { isAccepted: true, subprotocol: '' });
  expect(lengthIn(accepted, headOf(first, `X: ${first}\r\n`), first)).toBe(0);
  expect(lengthIn(accepted, headOf(first), first)).toBe(0);
});

it('knows nothing that the whole judgement would refuse', () => {
  const line = fc.constantFrom(
    'Server: a',
    'Date: b',
    'Sec-WebSocket-Protocol: p',
    'X:',
    'Sec-WebSocket-Accept: z',
    'z',
  );
  const lines = fc.array(line, { maxLength: 3 }).map((all) => all.map((one) => `${one}\r\n`).join(''));
  const change = fc.record({ at: fc.nat(400), byte: fc.integer({ min: 0, max: 255 }) });
  const wholeHead = (head: Buffer) => head.toString('latin1', 0, head.indexOf('\r\n\r\n'));
  const offers = fc.constantFrom(['p'], ['q']);
  law(lines, fc.option(lines), fc.option(change), offers, (more, others, changed, offered) => {
    const accepted = new AcceptedHead();
    const known = headOf(first, more);
    const answer = readUpgradeAnswer(wholeHead(known), first, ['p']);
    if (answer.isAccepted) accepted.remember(known, first, answer);
    const head = headOf(second, others ?? more);
    if (changed && changed.at < head.length) head[changed.at] = changed.byte;
    const isKnown = accepted.lengthIn(head, head.length, second, offered) > 0;
    if (!isKnown) return;
    expect(readUpgradeAnswer(wholeHead(head), second, offered)).toEqual({
      isAccepted: true,
      subprotocol: accepted.subprotocol,
    });
  });
});
