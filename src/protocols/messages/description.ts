import { z } from 'zod';
import { httpUrl } from '../../units/addresses.js';
import { objectIn } from '../../units/text.js';
import { units } from '../../units/unit.js';

/** Messages of a user's server, in every protocol that takes some. */
export const messagesOption = z
  .string()
  .refine((json) => objectIn(json) !== undefined, 'expected a JSON object')
  .optional()
  .meta({
    flag: 'messages',
    placeholder: 'json',
    help: 'messages of your server, as under `messages` of a target file',
  });

/** Messages of a server as users write them; `description-faults.ts` says what no schema can. */
const written = z.union(
  [z.string().min(1), z.strictObject({ hex: z.string().min(2) }), z.strictObject({ base64: z.string().min(4) })],
  { error: 'expected text, {hex: …} or {base64: …}' },
);

const duration = z.string().refine((text) => (units.duration.parse(text) ?? 0) >= 100, 'expected 100ms or more');

/** A publish by one client, which the server passes on to all subscribers of a stream. */
const sentPublish = z.strictObject({
  send: written,
  /** In the answer to the client that published. */
  acked: written.optional(),
  match: written.optional(),
  /** Whether the publisher subscribes before it publishes. */
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
    /** `received` is the whole message, `begins` its beginning; without `send` it is passed over. */
    z.strictObject({ received: z.string().min(1), send: z.string().min(1).optional() }),
    z.strictObject({ begins: z.string().min(1), send: z.string().min(1).optional() }),
  ],
  { error: 'expected {every, send}, {received, send} or {begins, send}' },
);

const oneOrMore = <T extends z.ZodType>(each: T) => z.union([each, z.array(each)]).optional();

/** What the messages of a server are, as a target file has them under `messages`. */
export const description = z.strictObject({
  /** Sent first. */
  hello: oneOrMore(written),
  /** Awaited before a client subscribes or sends. */
  ready: written.optional(),
  /** Without `send`, the server confirms by itself. */
  subscribe: z.strictObject({ send: written.optional(), confirmed: written }).optional(),
  /** In messages that end a client as refused. */
  refused: oneOrMore(written),
  publish: z.union([sentPublish, posted], { error: 'expected {send, …} or {post, …}' }).optional(),
  echo: z.strictObject({ send: written, match: written.optional() }).optional(),
  whisper: z.strictObject({ send: written, match: written.optional() }).optional(),
  heartbeat: oneOrMore(heartbeat),
});

export type Description = z.output<typeof description>;
export type Heartbeat = z.output<typeof heartbeat>;

/** One or several as several. */
export function several<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as T];
}
