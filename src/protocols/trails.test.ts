import { expect, test } from 'vitest';
import { RecordingEvents } from '../../test/doubles/session-recorders.js';
import { protocolByName, protocolOptionsOf } from './list.js';
import { type Protocol, trailing } from './protocol.js';
import { maskOf, Trails } from './trails.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

test('the first client of a cause is its example, with its first messages and its last step', () => {
  const trails = new Trails();
  const events = trailing(new RecordingEvents(), trails);
  for (const client of [0, 1]) {
    trails.begun(client);
    events.opened(client, 1, 2, 0);
    trails.received(client, bytes(`hello ${client}`), false);
    trails.received(client, bytes('later'), false);
    events.ready(client);
    trails.sent(client, `join ${client}`);
    trails.sent(client, 'again');
    trails.settled(client, 'subscribe-timeout');
  }
  trails.begun(2);
  trails.settled(2, 'connect-refused');
  expect(trails.talk()).toEqual({
    examples: {
      'subscribe-timeout': { step: 'ready', sent: 'join 0', received: 'hello 0' },
      'connect-refused': { step: 'connecting' },
    },
    others: 0,
  });
});

test('neither a client that is up nor one that we closed is an example', () => {
  const trails = new Trails();
  for (const client of [0, 1, 2]) trails.begun(client);
  trails.settled(0);
  trails.settled(0, 'reset');
  trails.settled(1, 'ours');
  trailing(new RecordingEvents(), trails).subscribed(2, 'news');
  trails.settled(2, 'reset');
  expect(trails.talk()).toEqual({ examples: {}, others: 0 });
});

test('other messages count once a client is up, and the first is kept', () => {
  const trails = new Trails();
  trails.begun(0);
  trails.other(0, bytes('before'), false);
  trails.settled(0);
  trails.other(0, bytes('first'), false);
  trails.other(0, bytes('second'), false);
  expect(trails.talk()).toEqual({ examples: {}, others: 2, firstOther: 'first' });
});

test('a message is cut at 200 bytes, a binary one is shown in hex, and an HTTP answer without its headers', () => {
  const received = (hear: (trails: Trails) => void): string | undefined => {
    const trails = new Trails();
    trails.begun(0);
    hear(trails);
    trails.settled(0, 'reset');
    return trails.talk().examples.reset?.received;
  };
  expect(received((trails) => trails.received(0, bytes('ä'.repeat(500)), false))).toBe(`${'ä'.repeat(100)}…`);
  expect(received((trails) => trails.received(0, Uint8Array.of(7, 13), true))).toBe('hex 070d');
  const answer = bytes('HTTP/1.1 400 Bad Request\r\nSet-Cookie: secret\r\n\r\n{"code":0}');
  expect(received((trails) => trails.turnedAway(0, answer))).toBe('HTTP/1.1 400 Bad Request {"code":0}');
});

const values = (name: string): string | undefined => ({ client: '7', token: 'to"ken-13', user: 'ada' })[name];

function shown(message: string, options: Record<string, unknown>, address = 'ws://host/'): string | undefined {
  const protocol = protocolByName('socketio') as Protocol;
  const trails = new Trails(() => maskOf(protocolOptionsOf(protocol), options, new URL(address), values));
  trails.begun(0);
  trails.sent(0, message);
  trails.settled(0, 'reset');
  return trails.talk().examples.reset?.sent;
}

test('a value of a slot is shown by its name, in any form, and the number of a client as it is', () => {
  const options = { socketioAuth: '{"token":"{token}","n":"{client}"}' };
  expect(shown('40{"token":"to\\"ken-13"}', options)).toBe('40{"token":"{token}"}');
  expect(shown('token=to%22ken-13&user=ada', {}, 'ws://host/?t={token}&u={user}')).toBe('token={token}&user={user}');
});

test('secret options, headers and the query are hidden wherever they stand', () => {
  expect(shown('40{"key":"abcd-17"}', { socketioAuth: '{"key":"abcd-17"}' })).toBe('40{hidden}');
  expect(shown('say abcd-17', { socketioAuth: '{"key":"abcd-17"}' })).toBe('say {hidden}');
  expect(shown('say s3cret', { headers: ['Authorization: Bearer s3cret'] })).toBe('say {hidden}');
  expect(shown('say s3cret', {}, 'ws://host/?token=s3cret')).toBe('say {hidden}');
});
