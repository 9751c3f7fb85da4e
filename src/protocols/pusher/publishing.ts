import type { PublishRequest } from '../protocol.js';
import { broadcastEvent, channelOf } from './channels.js';
import type { App } from './options.js';
import { signedQuery } from './signatures.js';

/** Makes a publish at an address of the HTTP API; undefined if the path is not of that API. */
export function publishing(
  app: App,
  { pathname }: URL,
  nowMs: () => number = Date.now,
): ((stream: string, data: string) => PublishRequest) | undefined {
  const path = pathname === '/' ? `/apps/${app.id}/events` : pathname;
  if (!/\/apps\/[^/]+\/events$/.test(path)) return undefined;
  return (stream, data) => {
    const body = JSON.stringify({ name: broadcastEvent, channels: [channelOf(app, stream)], data });
    const seconds = Math.floor(nowMs() / 1000);
    return { path: `${path}?${signedQuery(app, { method: 'POST', path, body }, seconds)}`, body };
  };
}
