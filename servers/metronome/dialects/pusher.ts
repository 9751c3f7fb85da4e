import {
  appOf,
  broadcastEvent,
  channelAuth,
  md5,
  requestSignature,
  streamOf,
} from '../../../src/protocols/pusher/app.js';
import { adviceOf, dataIn } from '../../../src/protocols/pusher/session.js';
import { objectIn } from '../../../src/units/text.js';
import { type Broadcast, checkBroadcast, type HttpAnswer, refusal } from '../../routes.js';
import type { Dialect, DialectClient, SignedRequest } from './dialect.js';

/** Holds the only app. The environment can set its secret, for the server and the clients alike. */
const app = appOf({ pusherSecret: process.env.RINGSIDE_PUSHER_SECRET });
const activityTimeoutSeconds = 120;
const pingIntervalMs = 30_000;
/** Limits the clock difference to a publisher, in seconds. */
const timestampWithinSeconds = 600;
const mostEvents = 10;

/**
 * Speaks Pusher Channels 7, with the default app of the protocol's options. All kinds of channels of one name share a
 * stream, so a publish to any of them reaches the subscribers of all. For a presence channel it announces only members
 * who join.
 */
export const pusherDialect: Dialect = {
  path: '/app/',
  takesBelow: true,
  subprotocol: () => false,
  greet(client) {
    const { pathname, searchParams } = new URL(client.url, 'ws://metronome');
    if (pathname !== `/app/${app.key}`) refuse(client, 4001, 'there is no app with this key');
    else if (searchParams.get('protocol') !== '7') refuse(client, 4007, 'expected protocol 7');
    else {
      const data = JSON.stringify({ socket_id: socketIdOf(client), activity_timeout: activityTimeoutSeconds });
      client.say(JSON.stringify({ event: 'pusher:connection_established', data }));
    }
  },
  hear(client, text = '') {
    const { event, channel, data } = objectIn(text) ?? {};
    if (event === 'pusher:ping') client.say('{"event":"pusher:pong","data":{}}');
    else if (event === 'pusher:subscribe') subscribe(client, dataIn(data));
    else if (event === 'pusher:unsubscribe') client.unsubscribe(String(dataIn(data).channel));
    else if (typeof event === 'string' && event.startsWith('client-') && typeof channel === 'string')
      clientEvent(client, event, channel, data);
  },
  delivery: ({ data }, form) => JSON.stringify({ event: broadcastEvent, channel: form, data }),
  heartbeat: { everyMs: pingIntervalMs, text: () => '{"event":"pusher:ping","data":{}}' },
  goodbye: (code) => (adviceOf(code) === undefined ? undefined : errorMessage(code, 'closed by order')),
  api: { isOf: (path) => path.startsWith('/apps/'), read: readPublishes },
};

function socketIdOf({ index }: DialectClient): string {
  return `4099.${index + 1}`;
}

function errorMessage(code: number, message: string): string {
  return JSON.stringify({ event: 'pusher:error', data: { code, message } });
}

function refuse(client: DialectClient, code: number, message: string): void {
  client.say(errorMessage(code, message));
  client.end(code);
}

function subscribe(client: DialectClient, { channel, auth, channel_data: channelData }: Record<string, unknown>): void {
  if (typeof channel !== 'string' || channel === '') return;
  const { channelKind, stream } = streamOf(channel);
  const signedData = channelKind === 'presence' && typeof channelData === 'string' ? channelData : undefined;
  const isAllowed = channelKind === 'public' || auth === channelAuth(app, socketIdOf(client), channel, signedData);
  if (!isAllowed || (channelKind === 'presence' && signedData === undefined)) {
    const data = { type: 'AuthError', error: 'the signature is wrong', status: 401 };
    client.say(JSON.stringify({ event: 'pusher:subscription_error', channel, data }));
    return;
  }
  client.subscribe(stream, channel);
  const member = signedData === undefined ? undefined : memberIn(signedData);
  const data = JSON.stringify(member ? presenceOf(member) : {});
  client.say(JSON.stringify({ event: 'pusher_internal:subscription_succeeded', channel, data }));
  if (member) client.whisper(stream, (form) => memberAdded(form, member));
}

interface Member {
  user_id: string;
  user_info: unknown;
}

function memberIn(channelData: string): Member {
  const { user_id: id, user_info: info = {} } = objectIn(channelData) ?? {};
  return { user_id: String(id), user_info: info };
}

function presenceOf({ user_id: id, user_info: info }: Member): object {
  return { presence: { count: 1, ids: [id], hash: { [id]: info } } };
}

function memberAdded(channel: string, member: Member): string {
  return JSON.stringify({ event: 'pusher_internal:member_added', channel, data: JSON.stringify(member) });
}

function clientEvent(client: DialectClient, event: string, channel: string, data: unknown): void {
  const { channelKind, stream } = streamOf(channel);
  if (channelKind === 'public') client.say(errorMessage(4301, 'client events need a private or presence channel'));
  else client.whisper(stream, (form) => JSON.stringify({ event, channel: form, data }));
}

/** Reads the signed HTTP API: `POST /apps/ID/events` and `POST /apps/ID/batch_events`. */
function readPublishes(request: SignedRequest): Broadcast[] | HttpAnswer {
  const fault = signatureFault(request);
  if (fault !== undefined) return refusal(401, fault);
  const body = objectIn(request.body);
  if (body === undefined) return refusal(400, 'the body is not a JSON object');
  if (request.path === `/apps/${app.id}/events`) return broadcastsOf([body]);
  if (request.path !== `/apps/${app.id}/batch_events`) return refusal(404, 'there is no such resource');
  const { batch } = body;
  if (!Array.isArray(batch) || batch.length > mostEvents)
    return refusal(400, `"batch" is not a list of at most ${mostEvents} events`);
  return broadcastsOf(batch.map(dataIn));
}

/** Returns the fault in the signature of a request or in the signed values, or undefined if both are valid. */
function signatureFault({ method, path, query, body }: SignedRequest): string | undefined {
  const given = new URLSearchParams(query);
  if (given.get('auth_key') !== app.key) return 'auth_key: there is no app with this key';
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(given.get('auth_timestamp')));
  if (!(ageSeconds < timestampWithinSeconds)) return `auth_timestamp: not within ${timestampWithinSeconds} s of now`;
  if (given.get('auth_version') !== '1.0') return 'auth_version: expected 1.0';
  if (given.get('body_md5') !== md5(body)) return 'body_md5: not the MD5 of the body';
  const isRight = given.get('auth_signature') === requestSignature(app.secret, method, path, given);
  return isRight ? undefined : 'auth_signature: the signature is wrong';
}

function broadcastsOf(events: readonly Record<string, unknown>[]): Broadcast[] | HttpAnswer {
  const broadcasts: Broadcast[] = [];
  for (const { name, channels, channel, data } of events) {
    if (name !== broadcastEvent) return refusal(400, `"name": this server has no event but ${broadcastEvent}`);
    for (const each of Array.isArray(channels) ? (channels as unknown[]) : [channel]) {
      const checked = checkBroadcast(typeof each === 'string' ? streamOf(each).stream : undefined, data);
      if ('problem' in checked) return refusal(400, checked.problem);
      broadcasts.push(checked);
    }
  }
  return broadcasts;
}
