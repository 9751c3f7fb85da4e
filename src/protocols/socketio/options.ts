import { z } from 'zod';
import { objectIn } from '../../units/text.js';
import { messagesOption } from '../messages/description.js';

export const socketioOptions = z.strictObject({
  socketioNamespace: z
    .string()
    .regex(/^\/[^\s,?#]*$/, 'expected a path such as /chat')
    .optional()
    .meta({
      flag: 'socketio-namespace',
      placeholder: 'path',
      help: 'Socket.IO namespace of the clients; by default /',
    }),
  socketioAuth: z
    .string()
    .refine((text) => objectIn(text) !== undefined, 'expected a JSON object')
    .optional()
    .meta({
      flag: 'socketio-auth',
      placeholder: 'json',
      isSecret: true,
      hasSlots: true,
      help: 'Socket.IO auth, a JSON object; `{client}` is the client’s number',
    }),
  messages: messagesOption,
  socketioEvent: z.string().min(1).optional().meta({
    flag: 'socketio-event',
    placeholder: 'name',
    help: 'Socket.IO event that carries broadcasts and whispers; by default message',
  }),
});

/** Describes how a job's clients speak to their Socket.IO server. */
export interface SocketioDialect {
  namespace: string;
  /** The one event that counts as a delivery. */
  event: string;
  auth: string | undefined;
}

/** Returns the dialect of checked values of `socketioOptions`. */
export function dialectOf(options: Readonly<Record<string, unknown>>): SocketioDialect {
  const { socketioNamespace, socketioAuth, socketioEvent } = options as z.output<typeof socketioOptions>;
  return { namespace: socketioNamespace ?? '/', event: socketioEvent ?? 'message', auth: socketioAuth?.trim() };
}
