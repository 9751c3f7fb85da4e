import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecordingSink } from '../../test/doubles/session-recorders.js';
import { law } from '../../test/law.js';
import { optionsOf } from '../options/option.js';
import { numberOnly } from '../units/slots.js';
import { clientOptions } from './client-options.js';
import { protocolByName, protocolOptions, protocols } from './list.js';

test('protocols are found by their names, which are unique', () => {
  expect(protocols.map(({ name }) => name)).toEqual([
    ...['ws-json', 'socketio', 'anycable', 'actioncable', 'rails', 'rails-anycable', 'pusher', 'shootout'],
    ...['shootout-cable', 'messages', 'raw'],
  ]);
  for (const protocol of protocols) expect(protocolByName(protocol.name)).toBe(protocol);
  expect(protocolByName('phoenix')).toBeUndefined();
});

test('the options of all protocols have keys and flags of one protocol each, and none is given by default', () => {
  const owners = [clientOptions, ...protocols.map(({ options }) => options)].flatMap((each) =>
    Object.keys(each?.shape ?? {}),
  );
  // Messages of a user's own are those of several protocols.
  const names = [...new Set(owners)];
  expect(names).toEqual(Object.keys(protocolOptions.shape));
  expect(new Set(optionsOf(protocolOptions).map(({ flag }) => flag)).size).toBe(names.length);
  expect(protocolOptions.parse({})).toEqual({});
});

test('anycable offers the extended protocol alone, or anycable-go would choose the plain one', () =>
  expect(protocolByName('anycable')?.subprotocols).toEqual(['actioncable-v1-ext-json']));

const heads = [
  ...['', '0{', '2', '40', '42[', '42["message",', '43', '430[', '44', '44/chat,', '45', '451-["message",', '461-0['],
  ...['{"type":', '{"identifier":"', '"stream_id":"'],
];
const tails = [
  '',
  '"]',
  '","x"]',
  '}',
  ',"offset":7}',
  '"epoch":"e","offset":1}',
  '"stream_id":"s","epoch":"e","offset":1}',
];
const talk = fc.oneof(
  fc.uint8Array({ maxLength: 61 }),
  fc.json().map((text) => Buffer.from(text)),
  fc
    .tuple(fc.constantFrom(...heads), fc.string({ maxLength: 13 }), fc.constantFrom(...tails))
    .map((parts) => Buffer.from(parts.join(''))),
);

for (const protocol of protocols) {
  test(`${protocol.name}: no garbage makes a session throw`, () =>
    law(fc.array(fc.tuple(fc.constantFrom('received', 'position', 'binary', 'again'), talk)), (said) => {
      const session = protocol.session(new RecordingSink(), {}, numberOnly(0));
      session.opened(protocol.subprotocols[0] ?? '');
      session.subscribe('bench');
      for (const [how, bytes] of said) {
        if (how === 'received') session.received(bytes);
        else if (how === 'position') session.position?.(bytes, 0, bytes.length);
        else if (how === 'binary') session.receivedBinary?.(bytes);
        else session.opened('');
      }
    }));

  // A described server may say what its description leaves out, and one that is asked nothing may say anything.
  test.skipIf(protocol.markers !== undefined || protocol.name === 'raw')(
    `${protocol.name}: talk that is no talk is refused`,
    () => {
      for (const text of ['', 'garbage', '\u0000', 'x'.repeat(997)]) {
        const sink = new RecordingSink();
        const session = protocol.session(sink, {}, numberOnly(0));
        session.opened(protocol.subprotocols[0] ?? '');
        sink.take();
        session.received(Buffer.from(text));
        expect(sink.take()).toEqual([`refused ${`unexpected message ${text}`.slice(0, 80)}`]);
      }
    },
  );
}
