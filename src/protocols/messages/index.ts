import { z } from 'zod';
import { objectIn } from '../../units/json-text.js';
import type { Protocol, ProtocolValues, Verb } from '../protocol.js';
import { describedProtocol } from './described.js';
import { description } from './description.js';
import { descriptionFaults } from './faults.js';
import { messagesOption } from './option.js';
import type { Written } from './template.js';

const text = z.string().min(1).optional();

/** What makes a server of a user's own into a protocol. */
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

const verbs: readonly Verb[] = ['subscribe', 'echo', 'whisper', 'broadcast', 'acknowledge'];
/** Where a description says what a verb is. */
const described: Partial<Record<Verb, string>> = { broadcast: 'publish', acknowledge: 'publish.acked' };

/** The protocol of servers that are described. */
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
    const hint = verb === 'echo' ? 'Give --message, or describe `messages.echo` in a target file.' : undefined;
    return {
      where: 'in this description',
      hint: hint ?? `Describe \`messages.${described[verb] ?? verb}\` in a target file (docs/your-own-server.md).`,
    };
  },
};

/** What the options describe together; not checked. */
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

/** A message on the command line: text, or `{hex: …}` and `{base64: …}` as in a file. */
function writtenIn(value: unknown): Written {
  const [, encoding, bytes] = /^\{\s*(hex|base64)\s*:\s*["']?(.*?)["']?\s*\}$/s.exec(String(value)) ?? [];
  if (encoding === 'hex') return { hex: bytes ?? '' };
  return encoding === 'base64' ? { base64: bytes ?? '' } : String(value);
}
