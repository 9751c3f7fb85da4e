import { z } from 'zod';
import { objectIn } from '../../units/text.js';
import {
  type Description,
  type DescriptionFault,
  descriptionFaults,
  posted,
  shapeFaults,
} from '../messages/description.js';
import { describedProtocol } from '../messages/index.js';
import type { Protocol, ProtocolValues } from '../protocol.js';
import { deliveryHeads, deliveryTest, dialectOf, type SocketioDialect, socketioOptions } from './packet.js';
import { SocketioSession } from './session.js';

const emit = z.tuple([z.string().min(1)], z.unknown(), 'expected a list: the name of an event, then its arguments');

/** The events of a user's Socket.IO server, as a target file has them under `messages`. */
export const events = z.strictObject({
  /** The acknowledgement confirms the subscription, unless a message with that text does. */
  subscribe: z.strictObject({ emit, confirmed: z.string().min(1).optional() }).optional(),
  /** `acked`: the server acknowledges it. */
  publish: z.union([z.strictObject({ emit, acked: z.boolean().optional() }), posted]).optional(),
  /** The acknowledgement answers the echo, unless the data comes back in an event. */
  echo: z.strictObject({ emit, comesBack: z.boolean().optional() }).optional(),
  whisper: z.strictObject({ emit }).optional(),
});

/** Returns the frames of the events: Socket.IO 5 over Engine.IO 4. A send's number is the id of its acknowledgement. */
export function framesOf(
  { subscribe, publish, echo, whisper }: z.output<typeof events>,
  dialect: SocketioDialect,
): Description {
  const place = dialect.namespace === '/' ? '' : `${dialect.namespace},`;
  const frame = (id: string, list: readonly unknown[]): string => `42${place}${id}${JSON.stringify(list)}`;
  const sentBy = (by: { emit: readonly unknown[]; acked?: boolean | undefined }): Description['publish'] =>
    by.acked ? { send: frame('{n}', by.emit), acked: `43${place}{n}` } : { send: frame('', by.emit) };
  return {
    hello: `40${place}${dialect.auth ?? ''}`,
    ready: `40${place}{"sid"`,
    refused: `44${place}{`,
    heartbeat: { received: '2', send: '3' },
    ...(subscribe && {
      subscribe: {
        send: frame(subscribe.confirmed === undefined ? '0' : '', subscribe.emit),
        confirmed: subscribe.confirmed ?? `43${place}0[`,
      },
    }),
    ...(publish && { publish: 'post' in publish ? publish : sentBy(publish) }),
    ...(echo && {
      echo: echo.comesBack ? { send: frame('', echo.emit) } : { send: frame('{n}', echo.emit), match: `43${place}{n}` },
    }),
    ...(whisper && { whisper: { send: frame('', whisper.emit) } }),
  };
}

export function eventFaults(
  value: unknown,
  dialect: SocketioDialect,
  slots: readonly string[] | undefined,
): DescriptionFault[] {
  const read = events.safeParse(value);
  return read.success ? descriptionFaults(framesOf(read.data, dialect), slots) : shapeFaults(read.error.issues, value);
}

const defaultPath = '/socket.io/?EIO=4&transport=websocket';

const eventsIn = ({ messages }: ProtocolValues): unknown => objectIn(String(messages));

/** The protocol of the targets `socketio` and `socketio-csr`, over the websocket transport only. */
export const socketio: Protocol = {
  name: 'socketio',
  stuckAt: (options) => {
    const { namespace } = dialectOf(options);
    return {
      opened: `the WebSocket opened; the namespace ${namespace} did not accept us`,
      ready: `the namespace ${namespace} accepted us; no acknowledgement of \`join\` came`,
    };
  },
  summary:
    'Socket.IO 5 over Engine.IO 4, websocket transport, with connection state recovery where the target offers it',
  verbs: ['subscribe', 'streams', 'echo', 'whisper', 'resume', 'play'],
  subprotocols: [],
  defaultPath,
  faults: (options, slots) =>
    options.messages === undefined ? [] : eventFaults(eventsIn(options), dialectOf(options), slots),
  described(options) {
    if (options.messages === undefined || eventFaults(eventsIn(options), dialectOf(options), undefined).length > 0)
      return undefined;
    const own = { name: 'socketio', summary: 'events of your own', subprotocols: [], defaultPath };
    return describedProtocol(own, framesOf(events.parse(eventsIn(options)), dialectOf(options)));
  },
  withoutVerb(verb, options) {
    if (options.messages === undefined || socketio.described?.(options)?.verbs.includes(verb) !== false)
      return undefined;
    return { where: 'in these messages', hint: 'Describe its event under `messages` (docs/your-own-server.md).' };
  },
  library: 'socket.io-client',
  options: socketioOptions,
  deliveryTest: (options) => deliveryTest(dialectOf(options)),
  deliveryHeads: (options) => deliveryHeads(dialectOf(options)),
  // The ping and pong of Engine.IO.
  replies: [{ received: '2', send: '3' }],
  session: (sink, options, values) => new SocketioSession(sink, dialectOf(options), values),
  libraryClients: async (setup, events) => {
    const { SocketioClients } = await import('./library.js');
    return new SocketioClients(setup, events);
  },
};
