import { expect, test } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { RawSession } from './index.js';

test('a client is up once the ping of its connection was answered, whatever else came', () => {
  const sink = new RecordingSink();
  const session = new RawSession(sink);
  session.opened();
  session.ponged();
  session.received();
  session.subscribe('news');
  session.receivedBinary();
  expect(sink.take()).toEqual(['ready', 'ping']);
  session.ponged();
  session.ponged();
  expect(sink.take()).toEqual(['subscribed news']);
});

test('a returning client asks anew', () => {
  const sink = new RecordingSink();
  const session = new RawSession(sink);
  session.opened();
  session.subscribe('news');
  session.opened();
  session.ponged();
  session.subscribe('news');
  session.ponged();
  expect(sink.take()).toEqual(['ready', 'ping', 'ready', 'ping', 'subscribed news']);
});
