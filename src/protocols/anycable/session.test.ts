import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { law } from '../../../test/law.js';
import { signStream } from '../../../test/sign-stream.js';
import { cableOf } from './index.js';
import { AnycableSession, isSigned, plainProtocol, pubsubChannel, StreamPositions } from './session.js';

// Frames as anycable-go 1.6.16 sends them.
const welcome = '{"type":"welcome","sid":"7S2-E0MAJaLQB9itzYuRn"}';

const identifier = String.raw`"identifier":"{\"channel\":\"$pubsub\",\"stream_name\":\"bench\"}"`;

const confirmed = `{"type":"confirm_subscription",${identifier}}`;

const delivery = (offset: number) =>
  `{${identifier},"message":{"m":"rs:1:000000${offset}"},"stream_id":"bench","epoch":"JdRD","offset":${offset}}`;

const ping = '{"type":"ping","message":1795252865}';

const historyConfirmed = `{"type":"confirm_history",${identifier}}`;

const historyRejected = `{"type":"reject_history",${identifier}}`;

const restart = '{"type":"disconnect","reason":"server_restart","reconnect":true}';

const subscribe = `sent {"command":"subscribe",${identifier}}`;

const resubscribe = (offset: number) =>
  `sent {"command":"subscribe",${identifier},"history":{"streams":{"bench":{"offset":${offset},"epoch":"JdRD"}}}}`;

let sink: RecordingSink;

let session: AnycableSession;

function hears(...frames: string[]): string[] {
  for (const frame of frames) session.received(Buffer.from(frame));
  return sink.take();
}

function asks(stream: string): string[] {
  session.subscribe(stream);
  return sink.take();
}

function delivers(frame: string): void {
  const bytes = Buffer.from(`...${frame}...`);
  session.position(bytes, 3, bytes.length - 3);
}

beforeEach(() => {
  sink = new RecordingSink();
  session = new AnycableSession(sink);
});

describe('actioncable-v1-ext-json', () => {
  beforeEach(() => {
    session.opened('actioncable-v1-ext-json');
  });

  test('is ready on welcome, subscribed on confirmation, without a word on pings, which engines keep', () => {
    expect(hears(welcome)).toEqual(['ready']);
    expect(asks('bench')).toEqual([subscribe]);
    const { replies } = cableOf(plainProtocol);
    expect(replies.map(({ received, isPrefix }) => [ping.startsWith(received), isPrefix])).toEqual([[true, true]]);
    expect(hears(confirmed)).toEqual(['subscribed bench']);
  });

  test('asks once while a subscription is pending, and confirms at once while it is held', () => {
    hears(welcome);
    asks('bench');
    expect(asks('bench')).toEqual([]);
    hears(confirmed);
    expect(asks('bench')).toEqual(['subscribed bench']);
  });

  test('returns with the last position and learns that it was replayed', () => {
    hears(welcome);
    asks('bench');
    hears(confirmed);
    delivers(delivery(1));
    delivers(delivery(2));
    session.opened('actioncable-v1-ext-json');
    hears(welcome);
    expect(asks('bench')).toEqual([resubscribe(2)]);
    expect(hears(confirmed)).toEqual(['subscribed bench']);
    delivers(delivery(3));
    expect(hears(historyConfirmed)).toEqual(['resumed true']);
    session.opened('actioncable-v1-ext-json');
    hears(welcome);
    expect(asks('bench')).toEqual([resubscribe(3)]);
    expect(hears(confirmed, historyRejected)).toEqual(['subscribed bench', 'resumed false']);
  });

  test('a return before the first delivery asks no history and is not resumed', () => {
    hears(welcome);
    asks('bench');
    hears(confirmed);
    session.opened('actioncable-v1-ext-json');
    hears(welcome);
    expect(asks('bench')).toEqual([subscribe]);
    expect(hears(confirmed)).toEqual(['subscribed bench', 'resumed false']);
  });

  test('a connection lost before the confirmation is no return', () => {
    hears(welcome);
    asks('bench');
    session.opened('actioncable-v1-ext-json');
    hears(welcome);
    expect(asks('bench')).toEqual([subscribe]);
    expect(hears(confirmed)).toEqual(['subscribed bench']);
  });

  test('a signed stream is asked for by its signed name and resumed by the plain one', () => {
    const signed = signStream('a<b>', 's3cret');
    const asked = JSON.stringify({ channel: '$pubsub', signed_stream_name: signed });
    hears(welcome);
    expect(asks(signed)).toEqual([`sent ${JSON.stringify({ command: 'subscribe', identifier: asked })}`]);
    expect(hears(JSON.stringify({ type: 'confirm_subscription', identifier: asked }))).toEqual([
      `subscribed ${signed}`,
    ]);
    delivers(String.raw`{"identifier":"x","message":{},"stream_id":"a\u003cb\u003e","epoch":"sxKV","offset":7}`);
    session.opened('actioncable-v1-ext-json');
    const history = { streams: { 'a<b>': { offset: 7, epoch: 'sxKV' } } };
    expect(asks(signed)).toEqual([`sent ${JSON.stringify({ command: 'subscribe', identifier: asked, history })}`]);
  });

  test('whispers to a stream that it holds; what others whisper moves no position', () => {
    hears(welcome);
    asks('bench');
    hears(confirmed, delivery(5));
    session.whisper('bench', '{"m":"seq:7"}');
    expect(sink.take()).toEqual([`sent {"command":"whisper",${identifier},"data":{"m":"seq:7"}}`]);
    delivers(`{${identifier},"message":{"m":"seq:7"}}`);
    session.opened('actioncable-v1-ext-json');
    expect(asks('bench')).toEqual([resubscribe(5)]);
  });

  test('a delivery of others moves the position too', () => {
    hears(welcome);
    asks('bench');
    hears(confirmed, delivery(5));
    session.opened('actioncable-v1-ext-json');
    expect(asks('bench')).toEqual([resubscribe(5)]);
  });

  test('refusals carry the word of the target', () => {
    hears(welcome);
    asks('bench');
    expect(hears(`{"type":"reject_subscription",${identifier}}`)).toEqual(['refused reject_subscription']);
    expect(hears(restart)).toEqual(['refused server_restart']);
    expect(hears('{"type":"disconnect","reconnect":false}')).toEqual(['refused disconnect']);
  });

  test('talk about what nobody asked for is refused', () => {
    hears(welcome);
    expect(hears(confirmed)).toEqual([`refused ${`unexpected message ${confirmed}`.slice(0, 80)}`]);
    expect(hears('{}')).toEqual(['refused unexpected message {}']);
  });
});

describe.each(['actioncable-v1-json', ''])('fallen back to %j', (subprotocol) => {
  test('works without history', () => {
    session.opened(subprotocol);
    expect(hears('{"type":"welcome"}')).toEqual(['ready']);
    expect(asks('bench')).toEqual([subscribe]);
    expect(hears(confirmed)).toEqual(['subscribed bench']);
    delivers(delivery(4));
    session.opened(subprotocol);
    hears('{"type":"welcome"}');
    expect(asks('bench')).toEqual([subscribe]);
    expect(hears(confirmed)).toEqual(['subscribed bench', 'resumed false']);
  });
});

function track(positions: StreamPositions, frame: string): void {
  const bytes = Buffer.from(`}${frame}"}`);
  positions.track(bytes, 1, bytes.length - 2);
}

const frameOf = (stream: string, epoch: string, offset: number, text = 'x') =>
  JSON.stringify({ identifier: '{"channel":"$pubsub"}', message: { m: text }, stream_id: stream, epoch, offset });

test('law: the position of each stream is that of its last delivery', () => {
  const delivery = fc.record({
    stream: fc.constantFrom('bench', 'a<b>&"q"/é', '\\', 'benc'),
    epoch: fc.constantFrom('sxKV', 'JdRD', 'RFyA'),
    offset: fc.nat(),
    text: fc.string(),
  });
  law(fc.array(delivery, { minLength: 1 }), (given) => {
    const positions = new StreamPositions();
    for (const { stream, epoch, offset, text } of given) track(positions, frameOf(stream, epoch, offset, text));
    for (const { stream } of given) {
      const last = given.findLast((one) => one.stream === stream)!;
      expect(positions.of(stream)).toEqual({ epoch: last.epoch, offset: last.offset });
    }
  });
});

test("a name that the target's JSON escapes in its own way is known by its value", () => {
  const positions = new StreamPositions();
  track(
    positions,
    String.raw`{"identifier":"","message":{},"stream_id":"a\u003cb\u003e\u0026\"q\"/é","epoch":"sxKV","offset":1}`,
  );
  expect(positions.of('a<b>&"q"/é')).toEqual({ epoch: 'sxKV', offset: 1 });
});

test('frames without a whole position change nothing, wherever they are cut', () => {
  const whole = frameOf('bench', 'JdRD', 17);
  for (let length = 0; length < whole.length; length++) {
    const positions = new StreamPositions();
    track(positions, frameOf('bench', 'sxKV', 2));
    track(positions, whole.slice(0, length));
    track(
      positions,
      whole.slice(whole.length - Math.min(length, '"stream_id":"bench","epoch":"JdRD","offset":17}'.length - 1)),
    );
    expect(positions.of('bench')).toEqual({ epoch: 'sxKV', offset: 2 });
  }
});

test('a new epoch of a stream replaces the old one', () => {
  const positions = new StreamPositions();
  track(positions, frameOf('bench', 'sxKV', 4_294_967_311));
  expect(positions.of('bench')).toEqual({ epoch: 'sxKV', offset: 4_294_967_311 });
  track(positions, frameOf('bench', 'JdRD', 1));
  expect(positions.of('bench')).toEqual({ epoch: 'JdRD', offset: 1 });
});

test('signStream signs as anycable-go verifies', () => {
  // Accepted by anycable-go 1.6.16 with --streams_secret=s3cret.
  expect(signStream('a<b>&"q"/é', 's3cret')).toBe(
    'ImE8Yj4mXCJxXCIvw6ki--7f27f4b2c2d462604ba5ecc5019f5aefb603b6cb16a3be962cd8a219729b4b51',
  );
});

test('two hyphens tell a signed name from a public one', () => {
  expect(isSigned('bench-7')).toBe(false);
  expect(pubsubChannel.identifierOf('bench-7')).toBe('{"channel":"$pubsub","stream_name":"bench-7"}');
  expect(pubsubChannel.identifierOf('ImI=--0f')).toBe('{"channel":"$pubsub","signed_stream_name":"ImI=--0f"}');
});
