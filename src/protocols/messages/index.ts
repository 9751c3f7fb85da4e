import { z } from 'zod';
import { objectIn } from '../../units/json-text.js';
import type { Protocol, Verb } from '../protocol.js';
import { describedProtocol } from './described.js';
import { type DescriptionFault, descriptionFaults, descriptionIn } from './faults.js';

/** What makes a server of a user's own into a protocol. */
const messagesOptions = z.strictObject({
  messages: z
    .string()
    .check(({ value, issues }) => {
      const { faults } = readMessages(value, undefined);
      for (const { key, text } of faults)
        issues.push({ code: 'custom', input: value, message: key === '' ? text : `${key}: ${text}` });
    })
    .optional()
    .meta({
      flag: 'messages',
      placeholder: 'json',
      help: 'messages of your server, as under `messages` of a target file',
    }),
});

const own = {
  name: 'messages',
  summary: 'messages of your own, described in a target file or by --message and --match',
  subprotocols: [],
  defaultPath: '/',
} satisfies Partial<Protocol>;

/** All that is wrong with JSON text as a description. `slots`: names beyond those of every message; undefined for any. */
export function readMessages(json: string, slots: readonly string[] | undefined): { faults: DescriptionFault[] } {
  const value = objectIn(json);
  if (value === undefined) return { faults: [{ key: '', text: 'expected a JSON object' }] };
  return { faults: descriptionFaults(value, slots) };
}

const verbs: readonly Verb[] = ['subscribe', 'echo', 'whisper', 'broadcast', 'acknowledge'];

/** The protocol of servers that are described. Without a description it can nothing. */
export const messages: Protocol = {
  ...describedProtocol(own, {}),
  verbs,
  options: messagesOptions,
  described: ({ messages: json }) => describedProtocol(own, typeof json === 'string' ? descriptionIn(json) : {}),
};
