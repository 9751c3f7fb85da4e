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

test('over Action Cable the channel is asked for at once, and its confirmation is all that a client needs', () => {
  const { sink, session, hears } = opened(shootoutCable);
  expect(sink.take()).toEqual([`sent {"command":"subscribe",${channel}}`]);
  expect(hears('{"type":"welcome"}')).toEqual([]);
  expect(hears(`{${channel},"type":"confirm_subscription"}`)).toEqual(['ready']);
  session.subscribe('bench');
  expect(sink.take()).toEqual(['subscribed bench']);
  expect(hears(`{${channel},"message":{"action":"broadcast","payload":{"m":"of somebody else"}}}`)).toEqual([]);
});

test('over Action Cable operations are actions of the channel, their payload a string', () => {
  const { sink, session } = opened(shootoutCable);
  sink.take();
  session.echo?.('{"m":"seq:7"}');
  session.broadcast?.('bench', '{"m":"seq:11"}');
  const said = (action: string, payload: string) =>
    `sent {"command":"message",${channel},"data":${JSON.stringify(`{"action":"${action}","payload":"${payload}"}`)}}`;
  expect(sink.take()).toEqual([said('echo', 'seq:7xxxxxxxx'), said('broadcast', 'seq:11xxxxxxxx')]);
});

test.each([`{${channel},"type":"reject_subscription"}`, '{"type":"disconnect"}'])(
  'over Action Cable %s refuses',
  (text) => {
    const { sink, hears } = opened(shootoutCable);
    sink.take();
    expect(hears(text)).toEqual([`refused ${text.slice(0, 80)}`]);
  },
);
