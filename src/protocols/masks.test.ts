import { expect, test } from 'vitest';
import { protocolByName } from './list.js';
import { maskOf } from './masks.js';
import type { Protocol } from './protocol.js';
import { Trails } from './trails.js';

const values = (name: string): string | undefined => ({ client: '7', token: 'to"ken-13', user: 'ada' })[name];

function shown(message: string, options: Record<string, unknown>, address = 'ws://host/'): string | undefined {
  const protocol = protocolByName('socketio') as Protocol;
  const trails = new Trails(() => maskOf(protocol, options, new URL(address), values));
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
