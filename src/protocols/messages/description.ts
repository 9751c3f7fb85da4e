import { z } from 'zod';
import { httpUrl } from '../../units/addresses.js';
import { objectIn } from '../../units/text.js';
import { units } from '../../units/unit.js';

/** Option for the messages of a user's server, in every protocol that takes some. */
export const messagesOption = z
  .string()
  .refine((json) => objectIn(json) !== undefined, 'expected a JSON object')
  .optional()
  .meta({
    flag: 'messages',
    placeholder: 'json',
    help: 'messages of your server, as under `messages` of a target file',
  });

/** Messages of a server as users write them. `faults.ts` checks the rules that no schema can express. */
const written = z.union(
  [z.string().min(1), z.strictObject({ hex: z.string().min(2) }), z.strictObject({ base64: z.string().min(4) })],
  { error: 'expected text, {hex: …} or {base64: …}' },
);

const duration = z.string().refine((text) => (units.duration.parse(text) ?? 0) >= 100, 'expected 100ms or more');

/** A publish by one client. The server forwards it to all subscribers of a stream. */
const sentPublish = z.strictObject({
  send: written,
  /** Text of the answer to the client that published. */
  acked: written.optional(),
  match: written.optional(),
  /** True if the publisher subscribes before it publishes. */
  joins: z.boolean().optional(),
});

/** A publish by an HTTP request. */
export const posted = z.strictObject({
  post: httpUrl,
  json: z.unknown().optional(),
  body: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  match: written.optional(),
});

const heartbeat = z.union(
  [
    z.strictObject({ every: duration, send: written }),
    /** `received` is the whole message, `begins` its beginning. Without `send` the message is ignored. */
    z.strictObject({ received: z.string().min(1), send: z.string().min(1).optional() }),
    z.strictObject({ begins: z.string().min(1), send: z.string().min(1).optional() }),
  ],
  { error: 'expected {every, send}, {received, send} or {begins, send}' },
);

const oneOrMore = <T extends z.ZodType>(each: T) => z.union([each, z.array(each)]).optional();

/** The messages of a server, as a target file has them under `messages`. */
export const description = z.strictObject({
  /** Sent first. */
  hello: oneOrMore(written),
  /** Awaited before a client subscribes or sends. */
  ready: written.optional(),
  /** Without `send`, the server confirms without a request. */
  subscribe: z.strictObject({ send: written.optional(), confirmed: written }).optional(),
  /** Text of messages that end a client as refused. */
  refused: oneOrMore(written),
  publish: z.union([sentPublish, posted], { error: 'expected {send, …} or {post, …}' }).optional(),
  echo: z.strictObject({ send: written, match: written.optional() }).optional(),
  whisper: z.strictObject({ send: written, match: written.optional() }).optional(),
  heartbeat: oneOrMore(heartbeat),
});

export type Description = z.output<typeof description>;
export type Heartbeat = z.output<typeof heartbeat>;

/** Returns one value or several as a list. */
export function several<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as T];
}
