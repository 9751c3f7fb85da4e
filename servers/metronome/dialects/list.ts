import { broadcastMessage, echoMessage, readShootout, resultMessage } from '../../shootout.js';
import { binaryMessage, errorMessage, readMessage, subscribedMessage } from '../../ws-json.js';
import { anycableDialect } from './anycable.js';
import type { Dialect } from './dialect.js';
import { pusherDialect } from './pusher.js';
import { socketioDialect } from './socketio.js';

/** Speaks JSON over a bare WebSocket, as the targets `ws` and `uws` do. */
export const wsJsonDialect: Dialect = {
  path: '/ws',
  subprotocol: () => false,
  greet: () => undefined,
  hear(client, text) {
    const message = text === undefined ? binaryMessage : readMessage(text);
    if (message.type === 'subscribe') {
      client.subscribe(message.stream, message.stream);
      client.say(subscribedMessage(message.stream));
    } else if (message.type === 'unsubscribe') client.unsubscribe(message.stream);
    else if (message.type === 'echo') client.say(text as string);
    else if (message.type === 'whisper') client.whisper(message.stream, () => text as string);
    else if (message.type === 'broadcast') client.broadcast(message);
    else client.say(errorMessage(message.why));
  },
  delivery: ({ data }) => data,
};

const all = 'all';

/** Speaks websocket-shootout over a bare WebSocket. A broadcast that was refused by order gets no result. */
export const shootoutDialect: Dialect = {
  path: '/shootout',
  subprotocol: () => false,
  greet: (client) => client.subscribe(all, all),
  hear(client, text) {
    const message = text === undefined ? binaryMessage : readShootout(text);
    if (message.type === 'wrong') client.say(errorMessage(message.why));
    else if (message.type === 'echo') client.say(echoMessage(message.payload));
    else if (client.broadcast({ stream: all, data: message.payload, value: JSON.parse(message.payload) }))
      client.say(resultMessage(message.payload));
  },
  delivery: ({ data }) => broadcastMessage(data),
};

export const dialects: Readonly<Record<'ws-json' | 'socketio' | 'anycable' | 'pusher' | 'shootout', Dialect>> = {
  'ws-json': wsJsonDialect,
  socketio: socketioDialect,
  anycable: anycableDialect,
  pusher: pusherDialect,
  shootout: shootoutDialect,
};
