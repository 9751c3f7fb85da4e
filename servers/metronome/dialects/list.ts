import { broadcastMessage, hearShootout, type ShootoutActions } from '../../shootout.js';
import { hearWsJson, type WsJsonActions } from '../../ws-json.js';
import { anycableDialect } from './anycable.js';
import type { Dialect, DialectClient } from './dialect.js';
import { pusherDialect } from './pusher.js';
import { socketioDialect } from './socketio.js';

const onWsJson: WsJsonActions<DialectClient, string> = {
  subscribe: (client, stream) => client.subscribe(stream, stream),
  unsubscribe: (client, stream) => client.unsubscribe(stream),
  say: (client, text) => client.say(text),
  echo: (client, text) => client.say(text),
  whisper: (client, stream, text) => client.whisper(stream, () => text),
  broadcast: (client, published) => void client.broadcast(published),
};

/** Speaks JSON over a bare WebSocket, as the targets `ws` and `uws` do. */
export const wsJsonDialect: Dialect = {
  path: '/ws',
  subprotocol: () => false,
  greet: () => undefined,
  hear: (client, text) => hearWsJson(onWsJson, client, text, text ?? ''),
  delivery: ({ data }) => data,
};

const all = 'all';
const onShootout: ShootoutActions<DialectClient> = {
  say: (client, text) => client.say(text),
  broadcast: (client, payload) =>
    client.broadcast({ stream: all, data: payload, value: JSON.parse(payload) }) ? undefined : false,
};

/** Speaks websocket-shootout over a bare WebSocket. A broadcast that was refused by order gets no result. */
export const shootoutDialect: Dialect = {
  path: '/shootout',
  subprotocol: () => false,
  greet: (client) => client.subscribe(all, all),
  hear: (client, text) => hearShootout(onShootout, client, text),
  delivery: ({ data }) => broadcastMessage(data),
};

export const dialects: Readonly<Record<'ws-json' | 'socketio' | 'anycable' | 'pusher' | 'shootout', Dialect>> = {
  'ws-json': wsJsonDialect,
  socketio: socketioDialect,
  anycable: anycableDialect,
  pusher: pusherDialect,
  shootout: shootoutDialect,
};
