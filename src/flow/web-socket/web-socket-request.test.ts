import { describe, expect, it } from 'vitest';
import { readArguments } from './web-socket-request.js';

const base = new URL('https://a.test:8443/app/');
const asked = (address: string | URL, protocols?: unknown, options?: unknown) => {
  const { url, subprotocols, headers } = readArguments(base, address, protocols, options);
  return [url.href, subprotocols, headers];
};

describe('arguments of a WebSocket', () => {
  it.each([
    ['/live?a=1', 'wss://a.test:8443/live?a=1'],
    ['live', 'wss://a.test:8443/app/live'],
    ['http://b.test/x', 'ws://b.test/x'],
    [new URL('ws://127.0.0.1:7/'), 'ws://127.0.0.1:7/'],
  ])('take the address %s', (address, href) => expect(asked(address)).toEqual([href, [], {}]));

  it('take subprotocols and headers in all their forms', () => {
    expect(asked('/', 'one').slice(1)).toEqual([['one'], {}]);
    expect(asked('/', ['one', 'two']).slice(1)).toEqual([['one', 'two'], {}]);
    expect(asked('/', undefined, { headers: { A: 'b' }, origin: 'http://c.test' }).slice(1)).toEqual([
      [],
      { A: 'b', Origin: 'http://c.test' },
    ]);
    expect(asked('/', { headers: new Headers({ A: 'b' }), protocols: ['one'] }).slice(1)).toEqual([
      ['one'],
      { a: 'b' },
    ]);
    expect(asked('/', ['one'], { headers: { A: 7 }, perMessageDeflate: false }).slice(1)).toEqual([
      ['one'],
      { A: '7' },
    ]);
    expect(asked('ws://me:p%40ss@a.test/')[2]).toEqual({ Authorization: `Basic ${btoa('me:p@ss')}` });
  });

  it.each([
    ['http://', undefined],
    ['mailto:a@b.test', undefined],
    ['/#part', undefined],
    ['/#', undefined],
    ['/', 'a b'],
    ['/', ''],
    ['/', ['a', 'a']],
    ['/', 'é'],
  ])('refuse %j with subprotocols %j', (address, protocols) => {
    let refused: unknown;
    try {
      asked(address, protocols);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ name: 'SyntaxError' });
  });
});
