import { expect, it } from 'vitest';
import { namesWebSocket, WebSocket, withWebSocket } from './global-web-socket.js';

it.each([
  ['new WebSocket(url)', true],
  ['const Impl = typeof globalThis.WebSocket === "function" ? globalThis.WebSocket : undefined', true],
  ['const { WebSocket } = me', true],
  ['some.WebSocket', true],
  ['new me.WebSocket(me.target)', false],
  ['new ReconnectingWebSocket(url, [], { WebSocketImpl: me.WebSocket })', false],
  ['await me.open()', false],
])('%s may use the global class: %s', (bundle, names) => {
  expect(namesWebSocket(bundle)).toBe(names);
});

it('is the class of the client whose code calls or waits', async () => {
  class Own {
    constructor(readonly url: string) {}
  }
  const work = async () => {
    await undefined;
    return new WebSocket('ws://own/');
  };
  expect(await withWebSocket(() => Own as unknown as typeof WebSocket, work)).toEqual(new Own('ws://own/'));
  expect(() => new WebSocket('ws://own/')).toThrow('expected to be called by the client of a flow');
});
