import { expect, test } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { numberOnly } from '../../units/slots.js';
import type { Protocol } from '../protocol.js';
import { shootout, shootoutCable } from './index.js';

function opened({ session: sessionOf, subprotocols }: Protocol) {
  const sink = new RecordingSink();
  const session = sessionOf(sink, {}, numberOnly(0));
  session.opened(subprotocols[0] ?? '');
  const hears = (text: string): string[] => {
    session.received(Buffer.from(text));
    return sink.take();
  };
  return { sink, session, hears };
}

test('who is connected is proven by an echo of its own', () => {
  const { sink, session, hears } = opened(shootout);
  expect(sink.take()).toEqual(['ready']);
  session.subscribe('bench "1"');
  expect(sink.take()).toEqual(['sent {"type":"echo","payload":{"stream":"bench \\"1\\""}}']);
  expect(hears('{"payload":{"stream":"bench \\"1\\""},"type":"echo"}')).toEqual(['subscribed bench "1"']);
  session.opened('');
  expect(sink.take()).toEqual(['ready']);
});

test('echo and broadcast say their data as it is, and nobody else’s means anything', () => {
  const { sink, session, hears } = opened(shootout);
  sink.take();
  session.echo?.('{"m":"seq:7"}');
  session.broadcast?.('bench', '{"m":"seq:11"}');
  const said = ['{"type":"echo","payload":{"m":"seq:7"}}', '{"type":"broadcast","payload":{"m":"seq:11"}}'];
  expect(sink.take()).toEqual(said.map((text) => `sent ${text}`));
  const heard = ['{"type":"broadcastResult","payload":7,"listenerCount":3}', '{"type":"echo","payload":null}', '{}'];
  expect([...said, ...heard].flatMap(hears)).toEqual([]);
});

const channel = '"identifier":"{\\"channel\\":\\"BenchmarkChannel\\"}"';

test('over Action Cable the welcome makes ready, and the channel confirms', () => {
  const { sink, session, hears } = opened(shootoutCable);
  expect(sink.take()).toEqual([]);
  expect(hears('{"type":"welcome"}')).toEqual(['ready']);
  session.subscribe('bench');
  expect(sink.take()).toEqual([`sent {"command":"subscribe",${channel}}`]);
  expect(hears(`{${channel},"type":"confirm_subscription"}`)).toEqual(['subscribed bench']);
  expect(hears(`{${channel},"message":{"action":"broadcast","payload":{"m":"of somebody else"}}}`)).toEqual([]);
});

test('over Action Cable an echo without the channel waits for it', () => {
  const { sink, session, hears } = opened(shootoutCable);
  expect(session.echo?.('7')).toBe(true);
  expect(sink.take()).toEqual([`sent {"command":"subscribe",${channel}}`]);
  expect(hears(`{${channel},"type":"confirm_subscription"}`)).toEqual([
    'subscribed echo',
    `sent {"command":"message",${channel},"data":"{\\"action\\":\\"echo\\",\\"payload\\":7}"}`,
  ]);
});

test('over Action Cable operations are actions of the channel, their payload as it is', () => {
  const { sink, session, hears } = opened(shootoutCable);
  session.subscribe('bench');
  hears(`{${channel},"type":"confirm_subscription"}`);
  sink.take();
  session.echo?.('{"m":"seq:7"}');
  session.broadcast?.('bench', '{"m":"seq:11"}');
  expect(sink.take()).toEqual([
    `sent {"command":"message",${channel},"data":"{\\"action\\":\\"echo\\",\\"payload\\":{\\"m\\":\\"seq:7\\"}}"}`,
    `sent {"command":"message",${channel},"data":${JSON.stringify('{"action":"broadcast","payload":{"m":"seq:11"}}')}}`,
  ]);
});

test('over Action Cable a refusal is one by its own word', () => {
  const { sink, session, hears } = opened(shootoutCable);
  session.subscribe('bench');
  sink.take();
  expect(hears(`{${channel},"type":"reject_subscription"}`)).toEqual(['refused reject_subscription']);
  expect(hears('{"type":"disconnect","reason":"unauthorized","reconnect":false}')).toEqual(['refused unauthorized']);
  expect(hears('{"type":"disconnect"}')).toEqual(['refused disconnect']);
  expect(hears('{"identifier":"other","message":7}')).toEqual([
    'refused unexpected message {"identifier":"other","message":7}',
  ]);
});
