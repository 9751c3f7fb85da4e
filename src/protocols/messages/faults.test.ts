import { describe, expect, test } from 'vitest';
import type { Description } from './description.js';
import { descriptionFaults } from './faults.js';

const sound: Description = {
  hello: ['{"token":"{token}"}', { hex: '00' }],
  ready: '"welcome"',
  subscribe: { send: '{"op":"join","room":"{stream}"}', confirmed: '"op":"joined"' },
  publish: { send: '{"op":"say","id":{n},"text":"{data}"}', acked: '"ok":{n}' },
  echo: { send: '{"ping":{n}}', match: '"pong":{n}' },
  whisper: { send: '{"op":"whisper","text":"{data}"}' },
  heartbeat: [{ every: '25s', send: '2' }, { received: '2', send: '3' }, { begins: '{"type":"ping"' }],
};

test('a sound description has no faults', () => {
  expect(descriptionFaults(sound, ['token'])).toEqual([]);
});

describe('a fault is told at its place', () => {
  const cases: [string, Record<string, unknown>, string[]][] = [
    ['an unknown slot', { hello: '{"token":"{jwt}"}' }, ['hello']],
    ['an unknown key', { subscribes: {} }, ['subscribes']],
    ['no confirmation', { subscribe: { send: 'join' } }, ['subscribe.confirmed']],
    ['no data', { publish: { send: '{"op":"say"}' } }, ['publish.send']],
    ['no data in a body', { publish: { post: 'http://a.test/', json: { room: '{stream}' } } }, ['publish.send']],
    ['no body', { publish: { post: 'http://a.test/' } }, ['publish']],
    ['a number that no send has', { publish: { send: '{data}', match: '"n":{n}' } }, ['publish.send']],
    ['an answer by nothing', { whisper: { send: '{data}', match: 'x' }, publish: undefined }, ['whisper.match']],
    ['a number without an answer', { echo: { send: '{"ping":{n}}' } }, ['echo']],
    ['an answer in order to marked data', { echo: { send: '{data}', match: 'pong' } }, ['echo.match']],
    ['too little before a number', { echo: { send: '{n}', match: ':{n}' } }, ['echo.match']],
    ['bytes that are none', { ready: { hex: 'xyz' } }, ['ready']],
    ['a heartbeat too often', { heartbeat: { every: '1ms', send: '2' } }, ['heartbeat.every']],
    ['an ack that deliveries are, too', { publish: { send: '{data}', acked: '{data}' } }, ['publish.acked']],
    ['whispers to nobody', { subscribe: undefined }, ['whisper']],
  ];
  test.each(cases)('%s', (_, change, keys) => {
    expect(descriptionFaults({ ...sound, ...change }, ['token']).map(({ key }) => key)).toEqual(keys);
  });
});
