import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Batching, PublishRequest } from '../protocol.js';

const channelKinds = ['public', 'private', 'presence'] as const;

/** A key or id is part of a path. A key is also in a signature before a colon. */
const word = z.string().regex(/^[A-Za-z0-9_-]+$/, 'expected letters, digits, hyphens and underscores');

export const pusherOptions = z.strictObject({
  pusherKey: word.optional().meta({
    flag: 'pusher-key',
    placeholder: 'key',
    help: 'key of the Pusher app; by default app-key',
  }),
  pusherId: word.optional().meta({
    flag: 'pusher-id',
    placeholder: 'id',
    help: 'id of the Pusher app; by default app-id',
  }),
  pusherSecret: z.string().min(1).optional().meta({
    flag: 'pusher-secret',
    placeholder: 'secret',
    isSecret: true,
    help: 'secret of the Pusher app, which signs channels and publishes',
  }),
  pusherChannel: z.enum(channelKinds).optional().meta({
    flag: 'pusher-channel',
    isOfClients: true,
    help: 'kind of the channels; by default private; public ones have no whispers',
  }),
});

/** An app of a Pusher server, and the kind of the channels that clients take there. */
export type App = ReturnType<typeof appOf>;

/** Returns the app of checked values of `pusherOptions`. By default, it is that of the docs of such servers. */
export function appOf(options: Readonly<Record<string, unknown>>) {
  const {
    pusherKey: key = 'app-key',
    pusherId: id = 'app-id',
    pusherSecret: secret = 'app-secret',
    pusherChannel: channelKind = 'private',
  } = options as z.output<typeof pusherOptions>;
  return { key, id, secret, channelKind };
}

const prefixes: Readonly<Record<App['channelKind'], string>> = {
  public: '',
  private: 'private-',
  presence: 'presence-',
};

export const broadcastEvent = 'message';
/** Name of the event of a whisper. Servers forward only events with this prefix. */
export const whisperEvent = 'client-message';

export function pusherChannel({ channelKind }: App, stream: string): string {
  return `${prefixes[channelKind]}${stream}`;
}

/** Returns the kind of a channel, and the stream behind its prefix. */
export function streamOf(channel: string): { channelKind: App['channelKind']; stream: string } {
  const kinds = Object.keys(prefixes) as App['channelKind'][];
  const channelKind = kinds.find((kind) => kind !== 'public' && channel.startsWith(prefixes[kind])) ?? 'public';
  return { channelKind, stream: channel.slice(prefixes[channelKind].length) };
}

/** Returns the data with which a client enters a channel. `number` identifies it in a presence channel. */
export function entryTo(
  app: App,
  channel: string,
  socketId: string,
  number: number,
): { auth?: string; channel_data?: string } {
  if (app.channelKind === 'public') return {};
  if (app.channelKind === 'private') return { auth: channelAuth(app, socketId, channel) };
  const channelData = JSON.stringify({ user_id: String(number) });
  return { auth: channelAuth(app, socketId, channel, channelData), channel_data: channelData };
}

type Signer = Pick<App, 'key' | 'secret'>;

/** Returns the `KEY:HMAC` for a private channel, or with `channelData` for a presence channel. */
export function channelAuth({ key, secret }: Signer, socketId: string, channel: string, channelData?: string): string {
  const signed = [socketId, channel, ...(channelData === undefined ? [] : [channelData])].join(':');
  return `${key}:${hmac(secret, signed)}`;
}

/** Returns the query of a signed request: authentication version 1.0, with the MD5 of a body that is not empty. */
export function signedQuery(
  { key, secret }: Signer,
  { method, path, body }: { method: string; path: string; body: string },
  timestampSeconds: number,
): string {
  const query = new URLSearchParams({
    auth_key: key,
    auth_timestamp: String(timestampSeconds),
    auth_version: '1.0',
    ...(body !== '' && { body_md5: md5(body) }),
  });
  query.append('auth_signature', requestSignature(secret, method, path, query));
  return query.toString();
}

/** Returns the signature of a request by its method, path and query. The query is sorted by name and not escaped. */
export function requestSignature(secret: string, method: string, path: string, query: URLSearchParams): string {
  const pairs = [...query]
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => name !== 'auth_signature')
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return hmac(secret, `${method}\n${path}\n${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`);
}

export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

function hmac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Most events of one request, by Pusher's documentation. */
const mostEvents = 10;

/** Makes a publish at an address of the HTTP API. Undefined if the path is not of that API. */
export function publishing(
  app: App,
  address: URL,
  nowMs: () => number = Date.now,
): ((stream: string, data: string) => PublishRequest) | undefined {
  const path = eventsPath(app, address);
  if (path === undefined) return undefined;
  return (stream, data) =>
    signed(app, path, { name: broadcastEvent, channels: [pusherChannel(app, stream)], data }, nowMs());
}

/** Makes publishes of several broadcasts, at the batch path beside that of single events. Undefined likewise. */
export function batching(app: App, address: URL, nowMs: () => number = Date.now): Batching | undefined {
  const path = eventsPath(app, address)?.replace(/events$/, 'batch_events');
  if (path === undefined) return undefined;
  return {
    most: mostEvents,
    requestOf(stream, data) {
      const channel = pusherChannel(app, stream);
      return signed(app, path, { batch: data.map((each) => ({ name: broadcastEvent, channel, data: each })) }, nowMs());
    },
  };
}

function eventsPath({ id }: App, { pathname }: URL): string | undefined {
  const path = pathname === '/' ? `/apps/${id}/events` : pathname;
  return /\/apps\/[^/]+\/events$/.test(path) ? path : undefined;
}

function signed(app: App, path: string, content: object, atMs: number): PublishRequest {
  const body = JSON.stringify(content);
  return { path: `${path}?${signedQuery(app, { method: 'POST', path, body }, Math.floor(atMs / 1000))}`, body };
}
