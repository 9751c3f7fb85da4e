import { z } from 'zod';
import { actioncable, anycable } from './anycable/index.js';
import { clientOptions } from './client-options.js';
import type { Protocol } from './protocol.js';
import { pusher } from './pusher/index.js';
import { rails, railsAnycable } from './rails/index.js';
import { raw } from './raw/index.js';
import { shootout, shootoutCable } from './shootout/index.js';
import { socketio } from './socketio/index.js';
import { wsJson } from './ws-json/index.js';

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
  raw,
];

/** The protocol of that name, or undefined. */
export function protocolByName(name: string): Protocol | undefined {
  return protocols.find((protocol) => protocol.name === name);
}

/** The options of one protocol's clients: those of every client, then the protocol's own. */
export function protocolOptionsOf({ options }: Protocol): z.ZodObject {
  return z.strictObject({ ...clientOptions.shape, ...options?.shape });
}

/** The options of all protocols; their values are only ever handed on by key. */
export const protocolOptions: z.ZodObject<Record<never, z.ZodType>> = z.strictObject(
  Object.assign({}, ...protocols.map((protocol) => protocolOptionsOf(protocol).shape)),
);
