import { expect, test } from 'vitest';
import { proposalFor } from './proposals.js';

const failed = (protocol: string, received: string | undefined) =>
  proposalFor({
    code: 'handshakeTimeouts',
    cause: 'subscribe-timeout',
    protocol,
    talk: { examples: { 'subscribe-timeout': { step: 'ready', received } }, others: 0 },
  });
const other = (protocol: string, firstOther: string) =>
  proposalFor({ code: 'nothingDelivered', cause: undefined, protocol, talk: { examples: {}, others: 7, firstOther } });

test.each([
  ['ws-json', '0{"sid":"a7","upgrades":[]}', '--protocol socketio'],
  ['ws-json', 'HTTP/1.1 400 Bad Request Transport unknown', '--protocol socketio'],
  ['raw', '{"type":"welcome"}', '--protocol actioncable'],
  ['socketio', '{"event":"pusher:connection_established","data":"{}"}', '--protocol pusher'],
  ['socketio', '0{"sid":"a7","upgrades":[]}', '--target-file'],
  ['ws-json', '{"op":"hello"}', 'ringside init target'],
  ['pusher', 'hex 070d', 'ringside init target'],
])('%s that heard first %s is told of %s', (protocol, received, command) => {
  expect(failed(protocol, received)).toContain(command);
});

test.each([
  ['socketio', '42["chat:msg",{"text":"hi"}]', '--socketio-event chat:msg'],
  ['socketio', '42/chat,["chat:msg",1]', '--socketio-event chat:msg'],
  ['ws-json', '{"op":"said"}', 'ringside init target'],
])('subscribers of %s that got %s are told of %s', (protocol, message, command) => {
  expect(other(protocol, message)).toContain(command);
});

test('a server that answers no ping is asked for its protocol, and one that is not there is not', () => {
  expect(failed('raw', undefined)).toContain('--protocol');
  const talk = { examples: {}, others: 0 };
  const cause = 'connect-refused';
  expect(proposalFor({ code: 'targetUnreachable', cause, protocol: 'raw', talk })).toBeUndefined();
});

test('nothing is proposed for what was not heard, for another status, or after a run that ended well', () => {
  expect(failed('ws-json', undefined)).toBeUndefined();
  expect(failed('ws-json', 'HTTP/1.1 404 Not Found')).toBeUndefined();
  const talk = { examples: {}, others: 7, firstOther: '{"op":"said"}' };
  expect(proposalFor({ code: 'completed', cause: undefined, protocol: 'ws-json', talk })).toBeUndefined();
});
