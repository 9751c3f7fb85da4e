import { z } from 'zod';
import { actioncable, anycable, cableOf, rails, railsAnycable } from './anycable/index.js';
import { plainProtocol } from './anycable/session.js';
import { clientOptions } from './client-options.js';
import { describedProtocol, messages, raw } from './messages/index.js';
import type { Protocol, ProtocolValues } from './protocol.js';
import { pusher } from './pusher/index.js';
import { socketio } from './socketio/index.js';

/** JSON over a bare WebSocket: the protocol of the targets `ws` and `uws`. */
export const wsJson = describedProtocol(
  {
    name: 'ws-json',
    summary: 'JSON over a bare WebSocket: subscribe, subscribed, then the published data as it is',
    subprotocols: [],
    defaultPath: '/ws',
    isPostedTo: true,
  },
  {
    subscribe: { send: '{"type":"subscribe","stream":"{stream}"}', confirmed: '"subscribed"' },
    refused: '"type":"error"',
    publish: { send: '{"type":"broadcast","stream":"{stream}","data":"{json}"}' },
    echo: { send: '{"type":"echo","payload":{data}}' },
    whisper: { send: '{"type":"whisper","stream":"{stream}","payload":{data}}' },
  },
);

/** The two messages of hashrocket's websocket-shootout: an echo, and a broadcast to every connected client. */
export const shootout = describedProtocol(
  {
    name: 'shootout',
    summary: 'websocket-shootout: JSON over a bare WebSocket, echo and broadcast to all that are connected, no streams',
    subprotocols: [],
    defaultPath: '/ws',
    isPostedTo: true,
    hasNoStreams: true,
  },
  {
    // It has no streams: a returned echo proves that the client is there.
    subscribe: { send: '{"type":"echo","payload":{"stream":"{stream}"}}', confirmed: '"stream"' },
    publish: { send: '{"type":"broadcast","payload":{data}}', acked: 'broadcastResult{data}' },
    echo: { send: '{"type":"echo","payload":{data}}' },
  },
);

const identifier = JSON.stringify({ channel: 'BenchmarkChannel' });
/** One channel for everything, without streams. A client in it may act, and receives all broadcasts. */
const confirmed = 'confirm_subscription';

/** Returns an action of the channel. The payload is a string, as it is in JSON within JSON. */
function action(name: string): string {
  return JSON.stringify({ command: 'message', identifier, data: `{"action":"${name}","payload":"{data}"}` });
}

/** The messages of websocket-shootout as actions of an Action Cable channel. */
export const shootoutCable = describedProtocol(
  {
    ...cableOf(plainProtocol),
    name: 'shootout-cable',
    summary: 'websocket-shootout over Action Cable: echo and broadcast as actions of BenchmarkChannel',
    isPostedTo: true,
    hasNoStreams: true,
  },
  {
    hello: JSON.stringify({ command: 'subscribe', identifier }),
    ready: confirmed,
    subscribe: { confirmed },
    refused: ['reject_subscription', '"type":"disconnect"'],
    publish: { send: action('broadcast'), acked: 'broadcastResult{data}' },
    echo: { send: action('echo') },
  },
);

/** Every application protocol that Ringside speaks. */
export const protocols: readonly Protocol[] = [
  wsJson,
  socketio,
  anycable,
  actioncable,
  rails,
  railsAnycable,
  pusher,
  shootout,
  shootoutCable,
  messages,
  raw,
];

/** Protocols that need no description by the user. */
export const ownProtocols: readonly Protocol[] = protocols.filter((protocol) => protocol !== messages);

const loaded = new Map<string, Protocol>();

/** Makes a user's protocol known in this thread. */
export function addProtocol(protocol: Protocol): void {
  loaded.set(protocol.name, protocol);
}

export function protocolByName(name: string): Protocol | undefined {
  return protocols.find((protocol) => protocol.name === name) ?? loaded.get(name);
}

/** Returns the protocol of that name, or undefined. A described protocol is built from these options. */
export function protocolWith(name: string, options: ProtocolValues): Protocol | undefined {
  const protocol = protocolByName(name);
  const described = protocol?.described?.(options);
  return described ? { ...described, ...(protocol?.options && { options: protocol.options }) } : protocol;
}

/** Returns the options of one protocol's clients: those of every client, then the protocol's own. */
export function protocolOptionsOf({ options }: Protocol): z.ZodObject {
  return z.strictObject({ ...clientOptions.shape, ...options?.shape });
}

/** The options of all protocols. Their values are only passed on by key. */
export const protocolOptions: z.ZodObject<Record<never, z.ZodType>> = z.strictObject({
  ...clientOptions.shape,
  ...Object.assign({}, ...protocols.map(({ options }) => options && ownOptions(options))),
});

function ownOptions({ shape }: z.ZodObject): Record<string, z.ZodType> {
  const entries = Object.entries(shape as Record<string, z.ZodType>).map(([key, field]) => {
    const names = protocols.filter(({ options }) => key in (options?.shape ?? {})).map(({ name }) => name);
    const heading = `Protocol ${names.join(', ')}:`;
    return [key, field.meta({ ...field.meta(), heading, protocols: names })];
  });
  return Object.fromEntries(entries);
}
