import type { Batching, PublishRequest } from '../protocol.js';
import type { App } from './options.js';
import { broadcastEvent, pusherChannel, signedQuery } from './signatures.js';

/** Of the events in one request, as Pusher's documentation has it. */
const mostEvents = 10;

/** Makes a publish at an address of the HTTP API; undefined if the path is not of that API. */
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

/** The same of several broadcasts, at the path for batches beside that of single events. */
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
