import type { App } from './options.js';
import { channelAuth } from './signatures.js';

const prefixes: Readonly<Record<App['channelKind'], string>> = {
  public: '',
  private: 'private-',
  presence: 'presence-',
};

/** The event of a broadcast. */
export const broadcastEvent = 'message';
/** The event of a whisper: servers pass on only what begins like this. */
export const whisperEvent = 'client-message';

/** The channel of a stream, of the kind that the options ask for. */
export function pusherChannel({ channelKind }: App, stream: string): string {
  return `${prefixes[channelKind]}${stream}`;
}

/** The kind of a channel, and the stream behind its prefix. */
export function streamOf(channel: string): { channelKind: App['channelKind']; stream: string } {
  const kinds = Object.keys(prefixes) as App['channelKind'][];
  const channelKind = kinds.find((kind) => kind !== 'public' && channel.startsWith(prefixes[kind])) ?? 'public';
  return { channelKind, stream: channel.slice(prefixes[channelKind].length) };
}

/** What a client shows to enter a channel of the app's kind; a presence channel knows it by its number. */
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
