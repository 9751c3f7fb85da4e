import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { law } from '../../../test/law.js';
import { numberOnly } from '../../units/slots.js';
import { dialectOf } from './packet.js';
import { SocketioSession } from './session.js';

// Frames as socket.io 4.8.4 sends them.
const open =
  '0{"sid":"sHWIKo8-mTaVac3LAAAA","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}';
const plainConnect = '40{"sid":"-rqyi_hA5dH4cOZ8AAAA"}';
const connect = '40{"sid":"AeMQAHsOLAbBjLhfAAAA","pid":"EN4D6MLmqWY8b2L8AAAB"}';
const otherConnect = '40{"sid":"t-jZ1TSDy4y4JRV0AAAE","pid":"xP5XFXjigz7YpMHKAAAF"}';
const deliveries = ['42["message",{"m":"rs:1:0000001"},"Q7zQ3J0"]', '42["message",{"m":"rs:1:0000002"},"Q7zQ3J0.0"]'];
const missed = '42["message",{"m":"rs:1:0000003"},"Q7zQ3ZS"]';

let sink: RecordingSink;
let session: SocketioSession;

function hears(...frames: string[]): string[] {
  for (const frame of frames) session.received(Buffer.from(frame));
  return sink.take();
}

/** A delivery as the wire hands it over: somewhere inside a read buffer. */
function delivers(frame: string): void {
  const bytes = Buffer.from(`..."]${frame}"]...`);
  session.position(bytes, 5, bytes.length - 5);
}

beforeEach(() => {
  sink = new RecordingSink();
  session = new SocketioSession(sink, dialectOf({}), numberOnly(0));
  session.opened();
});

describe('without recovery', () => {
  test('connects, joins and is confirmed by acknowledgement', () => {
    expect(hears(open)).toEqual(['sent 40']);
    expect(hears(plainConnect)).toEqual(['ready']);
    session.subscribe('bench');
    session.subscribe('other');
    expect(sink.take()).toEqual(['sent 420["join","bench"]', 'sent 421["join","other"]']);
    expect(hears('431[]', '430[]')).toEqual(['subscribed other', 'subscribed bench']);
  });

  test('echoes under an acknowledgement that no stream has, and whispers to a room', () => {
    hears(open, plainConnect);
    session.subscribe('bench');
    session.echo('{"m":"rs:1:0000001"}');
    session.whisper('bench "1"', '{"m":"rs:1:0000002"}');
    expect(sink.take()).toEqual([
      'sent 420["join","bench"]',
      'sent 42999999["echo",{"m":"rs:1:0000001"}]',
      'sent 42["whisper","bench \\"1\\"",{"m":"rs:1:0000002"}]',
    ]);
    expect(hears('430[]')).toEqual(['subscribed bench']);
  });

  test('passes over all else that is legal', () => {
    expect(hears(open, plainConnect)).toEqual(['sent 40', 'ready']);
    expect(hears('1', '6', '42["news",1]', '4217["question",{}]', '42/chat,["message",{}]', '41/chat,')).toEqual([]);
    // Answers that nobody waits for, and one to an echo without what that carried.
    expect(hears('43[]', '437[]', '43999999[]')).toEqual([]);
  });

  test('a confirmation counts once', () => {
    hears(open, plainConnect);
    session.subscribe('bench');
    sink.take();
    expect(hears('430[]', '430[]')).toEqual(['subscribed bench']);
  });

  test('passes over binary packets, and takes a confirmation from one', () => {
    hears(open, plainConnect);
    session.subscribe('bench');
    hears('452-["news",{"a":{"_placeholder":true,"num":0},"b":{"_placeholder":true,"num":1}}]');
    for (const _each of [0, 1]) session.receivedBinary();
    expect(hears('461-0[{"_placeholder":true,"num":0}]')).toEqual(['subscribed bench']);
    session.receivedBinary();
    expect(hears('462-/chat,17[{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]')).toEqual([]);
    for (const _each of [0, 1]) session.receivedBinary();
    delivers('451-["message",{"m":"rs:1:0000001"},{"_placeholder":true,"num":0}]');
    session.receivedBinary();
    expect(sink.take()).toEqual([]);
    session.receivedBinary();
    expect(sink.take()).toEqual(['refused a binary message']);
  });

  test('talk in the place of a binary message is refused', () => {
    hears(open, plainConnect, '451-["news",{"_placeholder":true,"num":0}]');
    expect(hears('42["news",1]')).toEqual(['refused unexpected message 42["news",1]']);
    session.opened();
    expect(hears(open, plainConnect)).toEqual(['sent 40', 'resumed false', 'ready']);
  });

  test('a return is not recovered and joins again under a fresh acknowledgement', () => {
    hears(open, plainConnect);
    session.subscribe('bench');
    hears('430[]');
    session.opened();
    expect(hears(open, '40{"sid":"DdlDDKCLEGEI1XevAAAB"}')).toEqual(['sent 40', 'resumed false', 'ready']);
    session.subscribe('bench');
    expect(sink.take()).toEqual(['sent 420["join","bench"]']);
    expect(hears('430[]')).toEqual(['subscribed bench']);
  });

  test('a trailing string is no offset where the target gave no private id', () => {
    hears(open, plainConnect);
    delivers(deliveries[0]!);
    session.opened();
    expect(hears(open)).toEqual(['sent 40']);
  });
});

describe('with recovery', () => {
  beforeEach(() => {
    hears(open, connect);
    session.subscribe('bench');
    hears('430[]');
  });

  test('an echo or a whisper has no offset', () => {
    deliveries.forEach(delivers);
    for (const frame of ['43999999[{"m":"rs:1:0000001"}]', '42["message",{"m":"rs:1:0000002"}]']) delivers(frame);
    session.opened();
    expect(hears(open)[0]).toContain('"offset":"Q7zQ3J0.0"');
  });

  test('returns with private id and last offset; what was joined is held', () => {
    deliveries.forEach(delivers);
    session.opened();
    expect(hears(open)).toEqual(['sent 40{"pid":"EN4D6MLmqWY8b2L8AAAB","offset":"Q7zQ3J0.0"}']);
    delivers(missed);
    expect(hears(connect)).toEqual(['resumed true', 'ready']);
    session.subscribe('bench');
    expect(sink.take()).toEqual(['subscribed bench']);
    session.subscribe('other');
    expect(sink.take()).toEqual(['sent 420["join","other"]']);
    session.opened();
    expect(hears(open)).toEqual(['sent 40{"pid":"EN4D6MLmqWY8b2L8AAAB","offset":"Q7zQ3ZS"}']);
  });

  test('returns as a stranger before the first offset', () => {
    session.opened();
    expect(hears(open)).toEqual(['sent 40']);
    expect(hears(otherConnect)).toEqual(['resumed false', 'ready']);
  });

  test('another private id means the rooms are gone', () => {
    deliveries.forEach(delivers);
    session.opened();
    expect(hears(open, otherConnect).slice(1)).toEqual(['resumed false', 'ready']);
    session.subscribe('bench');
    expect(sink.take()).toEqual(['sent 420["join","bench"]']);
  });

  test('an event of others moves the offset too', () => {
    hears('42["news",{"n":7},"Q7zQ3aS"]');
    session.opened();
    expect(hears(open)).toEqual(['sent 40{"pid":"EN4D6MLmqWY8b2L8AAAB","offset":"Q7zQ3aS"}']);
  });

  test('so does a binary one, and none of another namespace', () => {
    hears('451-["news",{"_placeholder":true,"num":0},"Q7zQ3bS"]');
    session.receivedBinary();
    hears('42/chat,["news",7,"Q7zQ3cS"]');
    session.opened();
    expect(hears(open)).toEqual(['sent 40{"pid":"EN4D6MLmqWY8b2L8AAAB","offset":"Q7zQ3bS"}']);
  });

  test('frames without an offset change nothing; an oversized one forgets the place', () => {
    delivers(deliveries[0]!);
    for (const frame of ['42["message"]', '42["message",{"m":"x"}]', '42["message",7]', '', '"', '"]', ']'])
      delivers(frame);
    session.opened();
    expect(hears(open)).toEqual(['sent 40{"pid":"EN4D6MLmqWY8b2L8AAAB","offset":"Q7zQ3J0"}']);
    delivers(`42["message",{},"${'x'.repeat(67)}"]`);
    session.opened();
    expect(hears(open)).toEqual(['sent 40']);
  });

  test('law: the offset sent is that of the last delivery', () => {
    const offsets = fc.array(fc.string({ minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 13 });
    law(offsets, fc.string(), (given, text) => {
      given.forEach((offset) => {
        delivers(`42${JSON.stringify(['message', { m: text }, offset])}`);
      });
      session.opened();
      const said = hears(open)[0]!;
      expect(JSON.parse(said.slice('sent 40'.length))).toEqual({ pid: 'EN4D6MLmqWY8b2L8AAAB', offset: given.at(-1) });
    });
  });
});

describe('in a namespace, with auth', () => {
  const options = { socketioNamespace: '/chat', socketioAuth: ' {"token":"t-{client}"} ' };

  test('every packet names the namespace, and the first one carries the auth of the client', () => {
    session = new SocketioSession(sink, dialectOf(options), numberOnly(13));
    session.opened();
    expect(hears(open)).toEqual(['sent 40/chat,{"token":"t-13"}']);
    expect(hears('40{"sid":"a"}', '40/chat,{"sid":"b"}')).toEqual(['ready']);
    session.subscribe('bench');
    session.echo('{"m":7}');
    session.whisper('bench', '{"m":7}');
    expect(sink.take()).toEqual([
      'sent 42/chat,0["join","bench"]',
      'sent 42/chat,999999["echo",{"m":7}]',
      'sent 42/chat,["whisper","bench",{"m":7}]',
    ]);
    expect(hears('430[]', '43/chat,0[]')).toEqual(['subscribed bench']);
    expect(hears('41', '41/chat,')).toEqual(['refused io server disconnect']);
  });

  test('a value is escaped within the auth', () => {
    session = new SocketioSession(sink, dialectOf({ socketioAuth: '{"name":"{name}"}' }), () => 'a "b"\\');
    session.opened();
    expect(hears(open)).toEqual([`sent 40${JSON.stringify({ name: 'a "b"\\' })}`]);
  });

  test.each([
    [' {"token":"t-{client}"} ', '"token":"t-13"'],
    ['{"pid":"mine"}', '"pid":"mine"'],
    ['{ }', ''],
  ])('a return has auth %s beside its place', (socketioAuth, told) => {
    session = new SocketioSession(sink, dialectOf({ ...options, socketioAuth }), numberOnly(13));
    session.opened();
    hears(open, '40/chat,{"sid":"a","pid":"P"}', '42/chat,["news",7,"Q7zQ3bS"]');
    session.opened();
    const place = '"pid":"P","offset":"Q7zQ3bS"';
    expect(hears(open)).toEqual([`sent 40/chat,{${place}${told === '' ? '' : `,${told}`}}`]);
  });

  test.each([
    ['44/chat,{"message":"no such token"}', 'no such token'],
    ['44/chat,"Unable to connect"', 'Unable to connect'],
    ['44/chat,', 'unexpected message 44/chat,'],
  ])('%s is refused', (frame, word) => {
    session = new SocketioSession(sink, dialectOf(options), numberOnly(13));
    expect(hears(frame)).toEqual([`refused ${word}`]);
  });
});

test.each([
  ['44{"message":"not allowed"}', 'not allowed'],
  ['44', 'unexpected message 44'],
  ['41', 'io server disconnect'],
  ['40{}', 'unexpected message 40{}'],
  ['42', 'unexpected message 42'],
  ['43', 'unexpected message 43'],
  ['45-["news"]', 'unexpected message 45-["news"]'],
  ['450-["news"]', 'unexpected message 450-["news"]'],
  ['451["news"]', 'unexpected message 451["news"]'],
  ['47["news"]', 'unexpected message 47["news"]'],
  ['5', 'unexpected message 5'],
])('%s is refused', (frame, word) => expect(hears(frame)).toEqual([`refused ${word}`]));
