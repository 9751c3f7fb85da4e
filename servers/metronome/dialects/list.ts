import { extendedProtocol, isSigned, plainProtocol, pubsubChannel } from '../../../src/protocols/anycable/session.js';
import { jsonIn, objectIn } from '../../../src/units/text.js';
import {
  broadcastMessage,
  hearShootout,
  hearWsJson,
  type ShootoutActions,
  type WsJsonActions,
} from '../../messages.js';
import type { Dialect, DialectClient } from './dialect.js';
import { pusherDialect } from './pusher.js';

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

/** Default of engine.io 6. */
const pingIntervalMs = 25_000;
const pingTimeoutMs = 20_000;
const maxPayloadBytes = 1_000_000;

/** Speaks Socket.IO as the target `socketio` does, with streams as rooms. Unanswered pings end no connection. */
export const socketioDialect: Dialect = {
  path: '/socket.io/',
  subprotocol: () => false,
  greet(client) {
    const session = { sid: `engine-${client.index}`, upgrades: [], pingInterval: pingIntervalMs };
    client.say(`0${JSON.stringify({ ...session, pingTimeout: pingTimeoutMs, maxPayload: maxPayloadBytes })}`);
  },
  hear(client, text = '') {
    if (/^40(\{|$)/.test(text)) client.say(`40${JSON.stringify({ sid: `socket-${client.index}` })}`);
    else if (text.startsWith('40')) {
      const namespace = text.slice(2).split(',', 1)[0];
      client.say(`44${namespace},{"message":"Invalid namespace"}`);
    } else event(client, text);
  },
  delivery: ({ value }) => message(value),
  heartbeat: { everyMs: pingIntervalMs, text: () => '2' },
};

/** Handles an event of the contract and acknowledges it if the client asks for that. It ignores all other events. */
function event(client: DialectClient, text: string): void {
  const [, id = '', json = ''] = /^42(\d*)(\[.*\])$/s.exec(text) ?? [];
  // The pattern matches only lists.
  const [name, first, second] = (jsonIn(json) ?? []) as unknown[];
  const acknowledge = (...answer: unknown[]) => {
    if (id !== '') client.say(`43${id}${JSON.stringify(answer)}`);
  };
  if (name === 'echo') acknowledge(first);
  if (typeof first !== 'string' || first === '') return;
  if (name === 'join') {
    client.subscribe(first, first);
    acknowledge();
  } else if (name === 'leave') client.unsubscribe(first);
  else if (name === 'whisper') client.whisper(first, () => message(second));
}

function message(value: unknown): string {
  return `42${JSON.stringify(['message', value])}`;
}

/** Action Cable and anycable-go ping in this interval. */
const cablePingMs = 3000;
const epoch = 'metronome';

/** Speaks AnyCable's pub/sub protocol, extended or plain as the client offers. It accepts any signature. */
export const anycableDialect: Dialect = {
  path: '/cable',
  subprotocol: (offered) => [extendedProtocol, plainProtocol].find((known) => offered.has(known)) ?? false,
  greet(client) {
    client.say(JSON.stringify({ type: 'welcome', ...(isExtended(client) && { sid: `session-${client.index}` }) }));
  },
  hear(client, text = '') {
    const { command, identifier, history, data } = objectIn(text) ?? {};
    if (typeof identifier !== 'string') return;
    const stream = streamOf(identifier);
    const form = formOf(client, identifier);
    if (command === 'subscribe') {
      if (stream !== undefined) client.subscribe(stream, form);
      client.say(
        JSON.stringify({ type: stream === undefined ? 'reject_subscription' : 'confirm_subscription', identifier }),
      );
    } else if (command === 'unsubscribe') client.unsubscribe(form);
    else if (command === 'whisper' && stream !== undefined)
      client.whisper(stream, (other) => JSON.stringify({ identifier: identifierIn(other), message: data }));
    if (isExtended(client) && history !== undefined) client.say(JSON.stringify({ type: 'reject_history', identifier }));
  },
  delivery({ stream, value, offset }, form) {
    const position = form.startsWith(extended) ? { stream_id: stream, epoch, offset } : {};
    return JSON.stringify({ identifier: identifierIn(form), message: value, ...position });
  },
  heartbeat: {
    everyMs: cablePingMs,
    text: () => JSON.stringify({ type: 'ping', message: Math.floor(Date.now() / 1000) }),
  },
};

const extended = 'x';
const plain = 'p';

function isExtended({ subprotocol }: DialectClient): boolean {
  return subprotocol === extendedProtocol;
}

function formOf(client: DialectClient, identifier: string): string {
  return (isExtended(client) ? extended : plain) + identifier;
}

function identifierIn(form: string): string {
  return form.slice(1);
}

function streamOf(identifier: string): string | undefined {
  const { channel, stream_name: name, signed_stream_name: signed } = objectIn(identifier) ?? {};
  if (channel !== '$pubsub') return undefined;
  if (typeof name === 'string' && name !== '') return name;
  return typeof signed === 'string' && isSigned(signed) ? pubsubChannel.nameOf(signed) : undefined;
}

export const dialects: Readonly<Record<'ws-json' | 'socketio' | 'anycable' | 'pusher' | 'shootout', Dialect>> = {
  'ws-json': wsJsonDialect,
  socketio: socketioDialect,
  anycable: anycableDialect,
  pusher: pusherDialect,
  shootout: shootoutDialect,
};
