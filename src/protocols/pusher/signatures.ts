import { createHash, createHmac } from 'node:crypto';
import type { App } from './options.js';

const prefixes: Readonly<Record<App['channelKind'], string>> = {
  public: '',
  private: 'private-',
  presence: 'presence-',
};

/** Name of the event of a broadcast. */
export const broadcastEvent = 'message';
/** Name of the event of a whisper. Servers forward only events with this prefix. */
export const whisperEvent = 'client-message';

/** Returns the channel of a stream, of the kind in the options. */
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
