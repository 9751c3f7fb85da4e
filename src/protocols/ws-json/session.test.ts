import { expect, test } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { numberOnly } from '../../units/slots.js';
import type { Session } from '../protocol.js';
import { wsJson } from './index.js';

function opened(): { sink: RecordingSink; session: Session; hears(text: string): string[] } {
  const sink = new RecordingSink();
  const session = wsJson.session(sink, {}, numberOnly(0));
  session.opened('');
  expect(sink.take()).toEqual(['ready']);
  const hears = (text: string) => {
    session.received(Buffer.from(text));
    return sink.take();
  };
  return { sink, session, hears };
}

test('a subscription is asked for and confirmed by name', () => {
  const { sink, session, hears } = opened();
  session.subscribe('bench "1"');
  expect(sink.take()).toEqual(['sent {"type":"subscribe","stream":"bench \\"1\\""}']);
  expect(hears('{"type":"subscribed","stream":"bench \\"1\\""}')).toEqual(['subscribed bench "1"']);
});

test('an error refuses, in its own words', () => {
  const { hears } = opened();
  const error = '{"type":"error","message":"too many streams"}';
  expect(hears(error)).toEqual([`refused ${error}`]);
});

test("somebody's data is passed over", () => {
  const { hears } = opened();
  for (const data of ['{"m":"hello"}', '[1,2,3]', '42', 'null', '"text"', 'true', '[1,2'])
    expect(hears(data)).toEqual([]);
});

test('a returning client is ready again', () => {
  const { sink, session } = opened();
  session.opened('');
  expect(sink.take()).toEqual(['ready']);
});

test('a broadcast is what the HTTP request would publish', () => {
  const { sink, session } = opened();
  session.broadcast?.('bench "1"', '{"m":"seq:7"}');
  expect(sink.take()).toEqual(['sent {"type":"broadcast","stream":"bench \\"1\\"","data":"{\\"m\\":\\"seq:7\\"}"}']);
});

test('echo and whisper say their data as it is, and what comes back of it is somebody’s data', () => {
  const { sink, session, hears } = opened();
  session.echo?.('{"m":"seq:7"}');
  session.whisper?.('bench "1"', '{"m":"seq:11"}');
  const said = [
    '{"type":"echo","payload":{"m":"seq:7"}}',
    '{"type":"whisper","stream":"bench \\"1\\"","payload":{"m":"seq:11"}}',
  ];
  expect(sink.take()).toEqual(said.map((text) => `sent ${text}`));
  expect(said.flatMap(hears)).toEqual([]);
});
