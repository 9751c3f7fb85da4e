import { binaryMessage, errorMessage, readMessage, subscribedMessage } from '../ws-json.js';
import type { Endpoint } from './endpoint.js';
import type { Streams } from './streams.js';

/** The endpoint of the protocol `ws-json`. */
export function wsJsonEndpoint(streams: Streams): Endpoint {
  return {
    path: '/ws',
    serve(socket) {
      const held = new Set<string>();
      return {
        message(text, data) {
          const message = text === undefined ? binaryMessage : readMessage(text);
          if (message.type === 'subscribe') {
            held.add(message.stream);
            streams.subscribe(message.stream, socket);
            socket.send(subscribedMessage(message.stream));
          } else if (message.type === 'unsubscribe') {
            held.delete(message.stream);
            streams.unsubscribe(message.stream, socket);
          } else if (message.type === 'echo') socket.send(data, { binary: false });
          else if (message.type === 'whisper') streams.send(message.stream, data as Buffer, socket);
          else if (message.type === 'broadcast') streams.send(message.stream, Buffer.from(message.data));
          else socket.send(errorMessage(message.why));
        },
        closed() {
          for (const stream of held) streams.unsubscribe(stream, socket);
        },
      };
    },
  };
}
