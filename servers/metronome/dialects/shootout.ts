import { broadcastMessage, echoMessage, readShootout, resultMessage } from '../../shootout.js';
import { binaryMessage, errorMessage } from '../../ws-json.js';
import type { Dialect } from './dialect.js';

/** What every client is subscribed to as soon as it is connected. */
const all = 'all';

/** The messages of websocket-shootout over a bare WebSocket. A broadcast that is refused by order gets no result. */
export const shootout: Dialect = {
  path: '/shootout',
  subprotocol: () => false,
  greet: (client) => client.subscribe(all, all),
  hear(client, text) {
    const message = text === undefined ? binaryMessage : readShootout(text);
    if (message.type === 'wrong') client.say(errorMessage(message.why));
    else if (message.type === 'echo') client.say(echoMessage(message.payload));
    else if (client.broadcast({ stream: all, data: message.payload, value: JSON.parse(message.payload) }))
      client.say(resultMessage(message.payload));
  },
  delivery: ({ data }) => broadcastMessage(data),
};
