import { z } from 'zod';

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

/** An app of a Pusher server, and the channels that clients take there. */
export interface App {
  key: string;
  id: string;
  secret: string;
  channelKind: (typeof channelKinds)[number];
}

/** The app in the documentation of servers of this protocol. */
const usualApp: App = { key: 'app-key', id: 'app-id', secret: 'app-secret', channelKind: 'private' };

/** Returns the app of checked values of `pusherOptions`. */
export function appOf(options: Readonly<Record<string, unknown>>): App {
  const { pusherKey, pusherId, pusherSecret, pusherChannel } = options as z.output<typeof pusherOptions>;
  return {
    key: pusherKey ?? usualApp.key,
    id: pusherId ?? usualApp.id,
    secret: pusherSecret ?? usualApp.secret,
    channelKind: pusherChannel ?? usualApp.channelKind,
  };
}
