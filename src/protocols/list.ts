import { z } from 'zod';
import { actioncable, anycable, rails, railsAnycable } from './anycable/index.js';
import { clientOptions } from './client-options.js';
import { shootout, shootoutCable, wsJson } from './described.js';
import { messages, raw } from './messages/index.js';
import type { Protocol, ProtocolValues } from './protocol.js';
import { pusher } from './pusher/index.js';
import { socketio } from './socketio/index.js';

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
