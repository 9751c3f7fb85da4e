import { objectIn } from '../../units/json-text.js';
import { describedProtocol } from '../messages/described.js';
import type { Protocol, ProtocolValues } from '../protocol.js';
import { eventFaults, events, framesOf } from './described.js';
import { dialectOf, socketioOptions } from './options.js';
import { deliveryHeads, deliveryTest } from './packet.js';
import { SocketioSession } from './session.js';

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
  verbs: ['subscribe', 'echo', 'whisper', 'resume', 'type'],
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
