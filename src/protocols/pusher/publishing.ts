import type { Batching, PublishRequest } from '../protocol.js';
import type { App } from './options.js';
import { broadcastEvent, pusherChannel, signedQuery } from './signatures.js';

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
