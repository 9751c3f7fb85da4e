import { z } from 'zod';
import { objectIn } from '../../units/text.js';
import type { Protocol, ProtocolValues, PublishRequest, Session, SessionSink, Verb } from '../protocol.js';
import { type Description, description, descriptionFaults, messagesOption } from './description.js';
import { DescribedSession, rulesOf } from './session.js';
import { Template, type Written } from './template.js';

const text = z.string().min(1).optional();

/** Options that describe a user's own server as a protocol. */
const messagesOptions = z.strictObject({
  messages: messagesOption,
  message: text.meta({ flag: 'message', placeholder: 'text', help: 'your message that the server answers, for echo' }),
  messageFile: text.meta({ flag: 'message-file', placeholder: 'file', help: 'the same from a file, text or binary' }),
  match: text.meta({ flag: 'match', placeholder: 'text', help: 'text in the answer; {n} pairs it with its send' }),
  hello: text.meta({ flag: 'hello', placeholder: 'text', help: 'message that a client sends first' }),
  ready: text.meta({ flag: 'ready', placeholder: 'text', help: 'text in the message that a client awaits first' }),
});

const own = {
  name: 'messages',
  summary: 'messages of your own, from a target file or --message',
  subprotocols: [],
  defaultPath: '/',
} satisfies Partial<Protocol>;

const verbs: readonly Verb[] = ['subscribe', 'streams', 'echo', 'whisper', 'broadcast', 'acknowledge'];
/** Places in the description that define a verb. */
const described: Partial<Record<Verb, string>> = { broadcast: 'publish', acknowledge: 'publish.acked' };
const hints: Partial<Record<Verb, string>> = {
  echo: 'Give --message, or describe `messages.echo` in a target file.',
  streams: 'Name {stream} in `subscribe.send` and in `publish.post` (docs/your-own-server.md).',
};

export const messages: Protocol = {
  ...describedProtocol(own, {}),
  verbs,
  options: messagesOptions,
  faults: (options, slots) => descriptionFaults(descriptionFrom(options), slots),
  described(options) {
    const read = description.safeParse(descriptionFrom(options));
    const isSound = read.success && descriptionFaults(read.data, undefined).length === 0;
    return isSound ? describedProtocol(own, read.data) : undefined;
  },
  withoutVerb(verb, options) {
    if (messages.described?.(options)?.verbs.includes(verb) !== false) return undefined;
    return {
      where: 'in this description',
      hint:
        hints[verb] ?? `Describe \`messages.${described[verb] ?? verb}\` in a target file (docs/your-own-server.md).`,
    };
  },
};

/** Returns the description that the options give together, unchecked. */
function descriptionFrom({ messages: json, message, match, hello, ready }: ProtocolValues): unknown {
  const given = {
    ...(hello !== undefined && { hello: writtenIn(hello) }),
    ...(ready !== undefined && { ready: writtenIn(ready) }),
    ...(message !== undefined && {
      echo: { send: writtenIn(message), ...(match !== undefined && { match: writtenIn(match) }) },
    }),
  };
  return { ...objectIn(String(json ?? '{}')), ...given };
}

/** Reads a message on the command line: text, or `{hex: …}` and `{base64: …}` as in a file. */
function writtenIn(value: unknown): Written {
  const [, encoding, bytes] = /^\{\s*(hex|base64)\s*:\s*["']?(.*?)["']?\s*\}$/s.exec(String(value)) ?? [];
  if (encoding === 'hex') return { hex: bytes ?? '' };
  return encoding === 'base64' ? { base64: bytes ?? '' } : String(value);
}

/** Describes the parts of a described protocol that are no messages. */
interface Own extends Pick<Protocol, 'name' | 'summary' | 'subprotocols' | 'defaultPath' | 'replies'> {
  /** Set if broadcasts are posted even though a client can publish them. */
  isPostedTo?: true;
  /** Set if only clients publish, to all connected clients. There are no streams to subscribe to. */
  hasNoStreams?: true;
}

export function describedProtocol({ isPostedTo, hasNoStreams, ...own }: Own, description: Description): Protocol {
  const rules = rulesOf(description);
  const { subscribe, echo, whisper, publish } = description;
  const isSent = publish !== undefined && 'send' in publish;
  const publishesByClients =
    isSent && !isPostedTo
      ? { joins: publish.joins ?? subscribe?.send !== undefined, isAnswered: publish.acked !== undefined }
      : undefined;
  const able: Partial<Record<Verb, boolean>> = {
    subscribe: subscribe !== undefined && !hasNoStreams,
    // A publishing client that joins is in one stream only.
    streams: isOfStreams(subscribe?.send, publish) && !publishesByClients?.joins,
    echo: echo !== undefined,
    whisper: whisper !== undefined,
    broadcast: isSent,
    acknowledge: rules.acked !== undefined,
  };
  const request = publish && 'post' in publish ? requestMaker(publish) : undefined;
  return overWs({
    ...own,
    verbs: (Object.keys(able) as Verb[]).filter((verb) => able[verb]),
    ...(publishesByClients && { publishesByClients }),
    ...(rules.acknowledgement !== undefined && { acknowledgement: rules.acknowledgement }),
    ...(rules.beat && { tickMs: rules.beat.everyMs }),
    replies: [...(own.replies ?? []), ...rules.replies],
    markers: rules.markers,
    ...(rules.answer && { isPairedInOrder: true as const }),
    awaited: {
      ...(description.ready !== undefined && { ready: inWords(description.ready) }),
      ...(subscribe && { subscribed: inWords(subscribe.confirmed) }),
      ...(publish && 'acked' in publish && publish.acked !== undefined && { acknowledged: inWords(publish.acked) }),
      ...(publish?.match !== undefined && { publish: inWords(publish.match) }),
      ...(echo?.match !== undefined && { echo: inWords(echo.match) }),
      ...(whisper?.match !== undefined && { whisper: inWords(whisper.match) }),
    },
    ...(request && { publishing: (_options, address) => (stream, data) => request(address, stream, data) }),
    session: (sink, _options, values) => new DescribedSession(sink, rules, values),
  });
}

/** Returns a protocol without its own client library, whose real clients use the `ws` package. */
export function overWs(own: Omit<Protocol, 'library' | 'libraryClients'>): Protocol {
  const protocol: Protocol = {
    ...own,
    library: 'ws',
    libraryClients: async (setup, events) => {
      const { WsClients } = await import('../library/ws-clients.js');
      return new WsClients(setup, events, protocol);
    },
  };
  return protocol;
}

/** Returns true if subscribe and publish name their stream. A publish that is not described does. */
function isOfStreams(subscribe: Written | undefined, publish: Description['publish']): boolean {
  if (subscribe === undefined) return false;
  const published = publish && ('send' in publish ? publish.send : (publish.body ?? JSON.stringify(publish.json)));
  return [subscribe, ...(published ? [published] : [])].every((each) => new Template(each).slots.includes('stream'));
}

function inWords(written: Written): string {
  return typeof written === 'string' ? written : JSON.stringify(written);
}

type Posted = Extract<NonNullable<Description['publish']>, { post: string }>;

/** Makes the publishes of a description. The address keeps its path, and the body is a template. */
function requestMaker({ json, body, headers = {} }: Posted) {
  const template = new Template(body ?? JSON.stringify(json));
  return ({ pathname, search }: URL, stream: string, data: string): PublishRequest => {
    const message = template.of((slot) => (slot === 'stream' ? stream : undefined));
    return { path: pathname + search, body: message.with(data) as string, headers };
  };
}

/** Any WebSocket server. The client sends only a ping of RFC 6455, whose pong proves the connection. */
export const raw = overWs({
  name: 'raw',
  summary: 'any WebSocket server: no messages; a ping frame and its pong prove each connection',
  verbs: [],
  withoutVerb: () => ({
    where: 'as it sends no messages',
    hint: 'Name the --protocol of the server, or describe its messages: `messages:` in a target file, or --message.',
  }),
  stuckAt: () => ({ ready: 'the WebSocket opened; no pong answered our ping' }),
  subprotocols: [],
  defaultPath: '/',
  session: (sink) => new RawSession(sink),
});

/** Session of `raw`. Ignores all messages of the server. */
class RawSession implements Session {
  #asked: string | undefined;

  constructor(private readonly sink: SessionSink) {}

  opened(): void {
    this.#asked = undefined;
    this.sink.ready();
  }

  subscribe(stream: string): void {
    this.#asked = stream;
    this.sink.ping();
  }

  ponged(): void {
    if (this.#asked === undefined) return;
    const stream = this.#asked;
    this.#asked = undefined;
    this.sink.subscribed(stream);
  }

  received(): void {
    // No message is of any use here.
  }

  receivedBinary(): void {
    this.received();
  }
}
