import type { Protocol } from '../protocol.js';
import { appOf, batching, publishing, pusherOptions } from './app.js';
import { adviceOf, PusherSession, tickMs } from './session.js';

/** Version of the wire session, which the target sees as a client library of its own. */
const sessionVersion = '1.0.0';

/** The protocol of Pusher Channels and of the servers that speak it, such as Soketi, Sockudo and AnyCable. */
export const pusher: Protocol = {
  name: 'pusher',
  summary: 'Pusher Channels 7: signed private and presence channels, publishes by its signed HTTP API',
  verbs: ['subscribe', 'streams', 'whisper', 'batch'],
  withoutVerb: (verb, options) =>
    verb === 'whisper' && appOf(options).channelKind === 'public'
      ? { where: 'in public channels', hint: 'Choose --pusher-channel private, or presence.' }
      : undefined,
  subprotocols: [],
  defaultPath: (options) => `/app/${appOf(options).key}?protocol=7&client=ringside&version=${sessionVersion}`,
  library: 'pusher-js',
  options: pusherOptions,
  session: (sink, options, values) => new PusherSession(sink, appOf(options), Number(values('client'))),
  tickMs,
  closeMeaning: adviceOf,
  publishing: (options, address) => publishing(appOf(options), address),
  batching: (options, address) => batching(appOf(options), address),
  libraryClients: async (setup, events) => {
    const { PusherClients } = await import('./library.js');
    return new PusherClients(setup, events);
  },
};
