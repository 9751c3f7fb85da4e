import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { withoutSecretValues } from '../../options/option.js';
import { appOf, pusherOptions } from './app.js';
import { pusher } from './index.js';
import { PusherSession, tickMs } from './session.js';

const established = (more: object = {}) =>
  JSON.stringify({
    event: 'pusher:connection_established',
    data: JSON.stringify({ socket_id: '11.13', activity_timeout: 30, ...more }),
  });
const confirmed = (channel: string) =>
  JSON.stringify({ event: 'pusher_internal:subscription_succeeded', channel, data: '{}' });
const failed = (data: unknown) => JSON.stringify({ event: 'pusher:error', data });
const ping = 'sent {"event":"pusher:ping","data":{}}';
const signed = (text: string) => `app-key:${createHmac('sha256', 'app-secret').update(text).digest('hex')}`;

let sink: RecordingSink;
let session: PusherSession;

function hears(...frames: string[]): string[] {
  for (const frame of frames) session.received(Buffer.from(frame));
  return sink.take();
}

function asks(stream: string): string[] {
  session.subscribe(stream);
  return sink.take();
}

function speaks(options: Record<string, unknown> = {}): void {
  sink = new RecordingSink();
  session = new PusherSession(sink, appOf(options), 17);
  session.opened();
  expect(hears(established())).toEqual(['ready']);
}

beforeEach(() => speaks());

describe('subscriptions', () => {
  test('a private channel is signed for this connection, and held once it is confirmed', () => {
    const data = { channel: 'private-news', auth: signed('11.13:private-news') };
    expect(asks('news')).toEqual([`sent ${JSON.stringify({ event: 'pusher:subscribe', data })}`]);
    expect(asks('news')).toEqual([]);
    expect(hears(confirmed('news'), confirmed('private-other'))).toEqual([]);
    expect(hears(confirmed('private-news'), confirmed('private-news'))).toEqual(['subscribed news']);
    expect(asks('news')).toEqual(['subscribed news']);
  });

  test('a public channel is not signed', () => {
    speaks({ pusherChannel: 'public' });
    expect(asks('news')).toEqual(['sent {"event":"pusher:subscribe","data":{"channel":"news"}}']);
    expect(hears(confirmed('news'))).toEqual(['subscribed news']);
  });

  test('a presence channel is signed with the number of the client', () => {
    speaks({ pusherChannel: 'presence' });
    const channelData = '{"user_id":"17"}';
    const auth = signed(`11.13:presence-news:${channelData}`);
    const data = { channel: 'presence-news', auth, channel_data: channelData };
    expect(asks('news')).toEqual([`sent ${JSON.stringify({ event: 'pusher:subscribe', data })}`]);
    const added = JSON.stringify({ event: 'pusher_internal:member_added', channel: 'presence-news', data: '{}' });
    expect(hears(added, confirmed('presence-news'), added)).toEqual(['subscribed news']);
  });

  test('a new connection has a new name and holds nothing', () => {
    asks('news');
    hears(confirmed('private-news'));
    session.opened();
    expect(asks('news')).toEqual([]);
    expect(hears(established({ socket_id: '17.19' }))).toEqual(['ready']);
    expect(asks('news')[0]).toContain(signed('17.19:private-news'));
  });
});

describe('errors', () => {
  test.each([
    [4001, '4001 do not reconnect'],
    [4099, '4099 do not reconnect'],
    [4100, '4100 reconnect after a back-off'],
    [4199, '4199 reconnect after a back-off'],
    [4200, '4200 reconnect at once'],
    [4299, '4299 reconnect at once'],
  ])('%i refuses the session, in words that do not depend on the target', (code, word) => {
    expect(hears(failed({ code, message: 'no app 7' }))).toEqual([`refused ${word}`]);
    expect(hears(failed(JSON.stringify({ code })))).toEqual([`refused ${word}`]);
    expect(pusher.closeMeaning?.(code)).toBe(word.slice('4001 '.length));
  });

  test('another code refuses what is not confirmed yet, and nothing else', () => {
    expect(hears(failed({ code: 4301, message: 'slow down' }), failed({ code: null }))).toEqual([]);
    asks('news');
    expect(hears(failed({ code: null, message: 'wrong auth' }))).toEqual(['refused wrong auth']);
    expect(hears(failed({}))).toEqual(['refused error']);
    hears(confirmed('private-news'));
    expect(hears(failed({ code: 4301, message: 'slow down' }))).toEqual([]);
    session.opened();
    expect(hears(failed({ code: 4300, message: 'later' }))).toEqual(['refused 4300 later']);
    for (const code of [1000, 3999, 4300, 4999]) expect(pusher.closeMeaning?.(code)).toBeUndefined();
  });

  test('a refused subscription refuses', () => {
    asks('news');
    const data = { type: 'AuthError', status: 401 };
    expect(hears(JSON.stringify({ event: 'pusher:subscription_error', channel: 'private-news', data }))).toEqual([
      'refused subscription_error',
    ]);
  });

  test('a connection without a name is refused, events of others are not', () => {
    expect(hears(established({ socket_id: 7 }))).toEqual([expect.stringMatching(/^refused unexpected message/)]);
    expect(hears('{"event":"news","channel":"private-news","data":"7"}', '{"event":"pusher:pong"}')).toEqual([]);
    expect(hears('{"channel":"private-news"}')).toEqual([expect.stringMatching(/^refused unexpected message/)]);
  });
});

describe('silence', () => {
  const ticks = (count: number): string[] => {
    for (let n = 0; n < count; n++) session.tick();
    return sink.take();
  };

  test('a ping is answered', () =>
    expect(hears('{"event":"pusher:ping","data":{}}')).toEqual(['sent {"event":"pusher:pong","data":{}}']));

  test('it pings after the time that the target named, and once each', () => {
    expect(30_000 / tickMs).toBe(3);
    expect(ticks(2)).toEqual([]);
    expect(ticks(1)).toEqual([ping]);
    expect(ticks(7)).toEqual([ping, ping]);
  });

  test('whatever it hears puts the ping off', () => {
    ticks(2);
    hears('{"event":"pusher:pong"}');
    expect(ticks(2)).toEqual([]);
    expect(ticks(1)).toEqual([ping]);
  });

  test('it is silent before its connection has a name, and takes 120 s where the target names no time', () => {
    session.opened();
    expect(ticks(100)).toEqual([]);
    hears(established({ activity_timeout: undefined }));
    expect(ticks(11)).toEqual([]);
    expect(ticks(1)).toEqual([ping]);
  });
});

test('a whisper is a client event in the channel', () => {
  session.whisper('news', '{"m":"x"}');
  expect(sink.take()).toEqual(['sent {"event":"client-message","channel":"private-news","data":{"m":"x"}}']);
});

test('results show no secret', () => {
  const values = { pusherKey: 'k', pusherId: '7', pusherSecret: 'hush', pusherChannel: 'public' };
  expect(withoutSecretValues(pusherOptions, values)).toEqual({ ...values, pusherSecret: '(hidden)' });
});
