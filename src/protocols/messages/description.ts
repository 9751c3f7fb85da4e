import { z } from 'zod';
import { httpUrl } from '../../units/addresses.js';
import { objectIn } from '../../units/text.js';
import { units } from '../../units/unit.js';
import { sendSlots, Template, type Written } from './template.js';

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
  hello: oneOrMore(written),
  ready: written.optional(),
  /** Without `send`, the server confirms without a request. */
  subscribe: z.strictObject({ send: written.optional(), confirmed: written }).optional(),
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

/** A fault of a description: its place, and the expected and received value. */
export interface DescriptionFault {
  key: string;
  text: string;
}

/** Slots of every message, beside those from a user's file or a login. */
const always = ['client', 'stream'];
/** Shortest text before `{n}` that does not occur in messages by chance. */
const leastBefore = 2;

/** Returns all faults of a description. `own` names further slots, or is undefined if any name is allowed. */
export function descriptionFaults(value: unknown, own: readonly string[] | undefined): DescriptionFault[] {
  const read = description.safeParse(value);
  return read.success ? new Check(own).of(read.data) : shapeFaults(read.error.issues, value);
}

/** Returns the faults that a schema finds in the shape of a value. */
export function shapeFaults(issues: readonly z.core.$ZodIssue[], value: unknown): DescriptionFault[] {
  return issues.map((issue) => ({
    key: [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys : [])].join('.'),
    text: issue.code === 'unrecognized_keys' ? 'expected no such key' : expectedOf(issue, value),
  }));
}

class Check {
  readonly #faults: DescriptionFault[] = [];

  constructor(private readonly own: readonly string[] | undefined) {}

  of({ hello, ready, subscribe, refused, publish, echo, whisper, heartbeat }: Description): DescriptionFault[] {
    for (const each of several(hello)) this.#message('hello', each, []);
    this.#message('ready', ready, []);
    for (const each of several(refused)) this.#message('refused', each, []);
    this.#message('subscribe.send', subscribe?.send, sendSlots);
    this.#message('subscribe.confirmed', subscribe?.confirmed, []);
    for (const each of several(heartbeat)) if ('every' in each) this.#message('heartbeat.send', each.send, []);
    if (publish && 'send' in publish) {
      this.#send('publish', publish.send, publish.match);
      if (publish.acked !== undefined) this.#answer('publish.acked', publish.acked);
    } else if (publish) this.#post(publish);
    if (echo) this.#echo(echo);
    if (whisper) this.#send('whisper', whisper.send, whisper.match);
    if (whisper && !subscribe) this.#wrong('whisper', 'expected `subscribe` beside it, as whispers go to subscribers');
    return this.#faults;
  }

  #wrong(key: string, text: string): void {
    this.#faults.push({ key, text });
  }

  #message(key: string, message: Written | undefined, slots: readonly string[]): Template | undefined {
    if (message === undefined) return undefined;
    const known = this.own && [...always, ...slots, ...this.own];
    try {
      const template = new Template(message);
      for (const name of template.slots.filter((each) => known?.includes(each) === false))
        this.#wrong(key, `expected one of ${known?.map(braced).join(', ')}, received {${name}}`);
      return template;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#wrong(key, error.message);
      return undefined;
    }
  }

  /** Checks a message whose deliveries are found by their data or number. */
  #send(key: string, send: Written, match: Written | undefined): void {
    const carried = this.#message(`${key}.send`, send, sendSlots);
    if (match !== undefined) this.#carries(key, carried, this.#marked(`${key}.match`, match));
    else if (carried && !carried.isMarked)
      this.#wrong(`${key}.send`, 'expected {data}, by which deliveries are found; or {n} in it and in `match`');
  }

  #post({ json, body, match }: { json?: unknown; body?: string | undefined; match?: Written | undefined }): void {
    if ((json === undefined) === (body === undefined)) {
      this.#wrong('publish', 'expected either `json` or `body` beside `post`');
      return;
    }
    this.#send('publish', body ?? JSON.stringify(json), match);
  }

  #echo({ send, match }: { send: Written; match?: Written | undefined }): void {
    const carried = this.#message('echo.send', send, sendSlots);
    if (match === undefined) {
      if (carried?.slots.includes('n') && !carried.isMarked)
        this.#wrong('echo', 'expected `match` with {n}, as the message has {n} and no {data}');
      return;
    }
    const answer = this.#message('echo.match', match, sendSlots);
    if (answer?.slots.some((name) => sendSlots.includes(name)))
      this.#carries('echo', carried, this.#marked('echo.match', match));
    else if (carried?.slots.some((name) => sendSlots.includes(name)))
      this.#wrong('echo.match', 'expected {n} or {data} in it, as the message has one; or leave both out');
  }

  /** Checks a match by the data or number of a send, and the text before it. Returns its slot. */
  #marked(key: string, match: Written): string | undefined {
    const template = this.#message(key, match, sendSlots);
    const slot = template?.slots.find((name) => sendSlots.includes(name));
    if (template && slot === undefined) this.#wrong(key, 'expected {n} or {data}');
    const before = slot === 'n' ? (template?.before('n') ?? '') : undefined;
    if (before !== undefined && before.length < leastBefore)
      this.#wrong(key, `expected at least ${leastBefore} characters right before {n}`);
    // The engines take a marker as text.
    if (before !== undefined && template?.isBinary && /[^\x20-\x7e]/.test(before))
      this.#wrong(key, 'expected bytes of ASCII text right before {n}');
    return slot;
  }

  #carries(key: string, send: Template | undefined, slot: string | undefined): void {
    if (send && slot !== undefined && !send.slots.includes(slot))
      this.#wrong(`${key}.send`, `expected {${slot}} in it, as \`match\` looks for it`);
  }

  /** Checks an acknowledgement, which need not identify its send. */
  #answer(key: string, acked: Written): void {
    const template = this.#message(key, acked, sendSlots);
    if (template?.slots.includes('n')) this.#marked(key, acked);
    if (template?.isMarked && template.longest === '')
      this.#wrong(key, 'expected text of the answer beside {data}, which deliveries have, too');
  }
}

function braced(name: string): string {
  return `{${name}}`;
}

/** Returns the schema's message for the issue, and whether a value was given. */
function expectedOf(issue: { message: string; path: readonly PropertyKey[] }, value: unknown): string {
  const received = issue.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  );
  const message = issue.message.replace(/^Invalid input: /, '').replace(/, received \w+$/, '');
  return `${message}, received ${received === undefined ? 'nothing' : 'something else'}`;
}
