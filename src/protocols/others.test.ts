import { expect, test } from 'vitest';
import { RecordingSink } from '../../test/doubles/session-recorders.js';
import { numberOnly } from '../units/slots.js';
import { protocolByName } from './list.js';

const identifier = JSON.stringify(JSON.stringify({ channel: '$pubsub', stream_name: 'bench' }));
const established = '{"event":"pusher:connection_established","data":{"socket_id":"7.13"}}';

test.each([
  ['ws-json', [], ['{"op":"said"}', '[7]'], ['{"type":"subscribed","stream":"bench"}']],
  ['shootout', [], ['{"op":"said"}', '[7]'], ['{"type":"echo","payload":{"stream":"bench"}}']],
  ['socketio', ['0{"sid":"a"}', '40{"sid":"b"}'], ['42["chat:msg",7]'], ['6', '430[]', '42/chat,["message",7]']],
  ['actioncable', ['{"type":"welcome"}'], [`{"identifier":${identifier},"message":{"say":7}}`], []],
  ['pusher', [established], ['{"event":"said","channel":"bench"}'], ['{"event":"pusher:pong"}', established]],
  ['raw', [], [], ['{"op":"said"}']],
])('a session of %s tells messages that it does not know from its own', (name, first, others, known) => {
  const sink = new RecordingSink();
  const session = protocolByName(name)?.session(sink, {}, numberOnly(0));
  session?.opened('');
  for (const message of first) session?.received(Buffer.from(message));
  session?.subscribe('bench');
  for (const message of [...others, ...known]) session?.received(Buffer.from(message));
  expect(sink.others).toEqual(others);
  expect(sink.lines.filter((line) => line.startsWith('refused'))).toEqual([]);
});
