import { binaryMessage, errorMessage, readMessage, subscribedMessage } from '../../ws-json.js';
import type { Dialect } from './dialect.js';

/** JSON over a bare WebSocket, as the targets `ws` and `uws` speak it. */
export const wsJson: Dialect = {
  path: '/ws',
  subprotocol: () => false,
  greet: () => undefined,
  hear(client, text) {
    const message = text === undefined ? binaryMessage : readMessage(text);
    if (message.type === 'subscribe') {
      client.subscribe(message.stream, message.stream);
      client.say(subscribedMessage(message.stream));
    } else if (message.type === 'unsubscribe') client.unsubscribe(message.stream);
    else if (message.type === 'echo') client.say(text as string);
    else if (message.type === 'whisper') client.whisper(message.stream, () => text as string);
    else if (message.type === 'broadcast') client.broadcast(message);
    else client.say(errorMessage(message.why));
  },
  delivery: ({ data }) => data,
};
