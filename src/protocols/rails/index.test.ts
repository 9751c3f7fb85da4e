import { expect, test } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { numberOnly } from '../../units/slots.js';
import type { Protocol } from '../protocol.js';
import { rails, railsAnycable } from './index.js';

const identifier = String.raw`"identifier":"{\"channel\":\"BenchmarkChannel\",\"stream_name\":\"bench\"}"`;
const welcome = '{"type":"welcome"}';
const confirmed = `{${identifier},"type":"confirm_subscription"}`;

function opened({ session: sessionOf, subprotocols }: Protocol) {
  const sink = new RecordingSink();
  const session = sessionOf(sink, {}, numberOnly(0));
  session.opened(subprotocols[0] ?? '');
  const hears = (...frames: string[]): string[] => {
    for (const frame of frames) session.received(Buffer.from(frame));
    return sink.take();
  };
  return { sink, session, hears };
}

test('the stream is a parameter of the channel, which confirms', () => {
  const { sink, session, hears } = opened(rails);
  expect(hears(welcome)).toEqual(['ready']);
  session.subscribe('bench');
  expect(sink.take()).toEqual([`sent {"command":"subscribe",${identifier}}`]);
  expect(hears(confirmed)).toEqual(['subscribed bench']);
  expect(hears(`{${identifier},"message":{"action":"broadcast","payload":{"m":"of somebody else"}}}`)).toEqual([]);
});

test('the channel and its parameter are those of the server', () => {
  const sink = new RecordingSink();
  const session = rails.session(sink, { railsChannel: 'Chat::RoomChannel', railsParameter: 'room' }, numberOnly(0));
  session.opened('actioncable-v1-json');
  session.subscribe('bench');
  const own = String.raw`"identifier":"{\"channel\":\"Chat::RoomChannel\",\"room\":\"bench\"}"`;
  expect(sink.take()).toEqual([`sent {"command":"subscribe",${own}}`]);
  session.received(Buffer.from(`{${own},"type":"confirm_subscription"}`));
  expect(sink.take()).toEqual(['subscribed bench']);
});

test.each(['benchmark', 'Chat.Room', ''])('a channel is a class of Ruby, which %j is not', (railsChannel) => {
  expect(rails.options?.safeParse({ railsChannel }).success).toBe(false);
});

test('echo and broadcast are actions, their payload as it is', () => {
  const { sink, session, hears } = opened(rails);
  session.subscribe('bench');
  hears(confirmed);
  sink.take();
  session.echo?.('{"m":"seq:7"}');
  session.broadcast?.('bench', '{"m":"seq:11"}');
  const said = ['{"action":"echo","payload":{"m":"seq:7"}}', '{"action":"broadcast","payload":{"m":"seq:11"}}'];
  expect(sink.take()).toEqual(
    said.map((data) => `sent {"command":"message",${identifier},"data":${JSON.stringify(data)}}`),
  );
});

test('echoes without a subscription wait for one of their own', () => {
  const { sink, session, hears } = opened(rails);
  expect(session.echo?.('{"m":"seq:5"}')).toBe(true);
  expect(session.echo?.('{"m":"seq:7"}')).toBe(true);
  const own = identifier.replace('bench', 'echo');
  expect(sink.take()).toEqual([`sent {"command":"subscribe",${own}}`]);
  const said = (number: number) =>
    `sent {"command":"message",${own},"data":${JSON.stringify(`{"action":"echo","payload":{"m":"seq:${number}"}}`)}}`;
  expect(hears(`{${own},"type":"confirm_subscription"}`)).toEqual(['subscribed echo', said(5), said(7)]);
  session.echo?.('{"m":"seq:11"}');
  expect(sink.take()).toEqual([said(11)]);
});

test('Action Cable resumes nothing; behind AnyCable a return asks for what it missed', () => {
  for (const [protocol, history, answer] of [
    [rails, '', [confirmed]],
    [
      railsAnycable,
      ',"history":{"streams":{"bench":{"offset":7,"epoch":"JdRD"}}}',
      [confirmed, `{"type":"confirm_history",${identifier}}`],
    ],
  ] as const) {
    const { sink, session, hears } = opened(protocol);
    session.subscribe('bench');
    hears(welcome, confirmed);
    const delivery = `{${identifier},"message":{"m":"rs:1:0000007"},"stream_id":"bench","epoch":"JdRD","offset":7}`;
    session.position?.(Buffer.from(delivery), 0, delivery.length);
    session.opened(protocol.subprotocols[0] ?? '');
    session.subscribe('bench');
    expect(sink.take()).toEqual([`sent {"command":"subscribe",${identifier}${history}}`]);
    expect(hears(...answer)).toEqual(['subscribed bench', `resumed ${protocol === railsAnycable}`]);
  }
});
