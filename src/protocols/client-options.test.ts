import { expect, test } from 'vitest';
import { completeAddress } from './client-options.js';
import { protocolByName } from './list.js';
import type { Protocol } from './protocol.js';

const eio = 'EIO=4&transport=websocket';
const pusherQuery = 'protocol=7&client=ringside&version=1.0.0';

test.each([
  ['socketio', 'ws://a.test', `ws://a.test/socket.io/?${eio}`],
  ['socketio', 'ws://a.test/?token={client}', `ws://a.test/socket.io/?token={client}&${eio}`],
  ['socketio', 'wss://a.test/live', `wss://a.test/live/?${eio}`],
  [
    'socketio',
    'ws://a.test/socket.io/?EIO=4&a=%7Bb&transport=websocket&a=2',
    `ws://a.test/socket.io/?a=%7Bb&a=2&${eio}`,
  ],
  ['socketio', 'ws://a.test:3001/?EIO=3&transport=polling', `ws://a.test:3001/socket.io/?${eio}`],
  ['ws-json', 'ws://a.test', 'ws://a.test/ws'],
  ['ws-json', 'ws://a.test/?a=1', 'ws://a.test/ws?a=1'],
  ['ws-json', 'ws://a.test/live/', 'ws://a.test/live/'],
  ['anycable', 'ws://a.test/?jid={client}', 'ws://a.test/cable?jid={client}'],
  ['anycable', 'ws://a.test/live?jid=7', 'ws://a.test/live?jid=7'],
  ['pusher', 'ws://a.test', `ws://a.test/app/app-key?${pusherQuery}`],
  ['pusher', 'wss://a.test/live/app/k?protocol=5&a=1', `wss://a.test/live/app/k?a=1&${pusherQuery}`],
  ['shootout-cable', 'ws://a.test/', 'ws://a.test/cable'],
  ['messages', 'ws://a.test', 'ws://a.test/'],
  ['messages', 'ws://a.test/live?token={token}', 'ws://a.test/live?token={token}'],
  ['raw', 'ws://a.test/live', 'ws://a.test/live'],
])('%s completes %s', (name, address, complete) => {
  expect(completeAddress(protocolByName(name) as Protocol, address).href).toBe(complete);
});

test('the key of an app goes into the path', () => {
  const { pathname } = completeAddress(protocolByName('pusher') as Protocol, 'ws://a.test', { pusherKey: 'k-7' });
  expect(pathname).toBe('/app/k-7');
});
