import {
  broadcastMessage,
  channelMessage,
  confirmMessage,
  echoMessage,
  pingMessage,
  readCable,
  readShootout,
  rejectMessage,
  resultMessage,
  welcomeMessage,
} from '../shootout.js';
import { binaryMessage, errorMessage, readMessage, subscribedMessage } from '../ws-json.js';
import { type Endpoint, Streams } from './endpoint.js';

/** Both forms share one audience: all connections, or all subscribers of the one channel. */
const all = 'all';

const pingEveryMs = 3000;

export function shootoutEndpoint(): Endpoint {
  const audience = new Streams();
  return {
    path: '/shootout',
    serve(socket) {
      audience.subscribe(all, socket);
      return {
        message(text) {
          const message = text === undefined ? binaryMessage : readShootout(text);
          if (message.type === 'echo') socket.send(echoMessage(message.payload));
          else if (message.type === 'broadcast') {
            const listeners = audience.send(all, Buffer.from(broadcastMessage(message.payload)));
            socket.send(resultMessage(message.payload, listeners));
          } else if (message.type === 'wrong') socket.send(errorMessage(message.why));
        },
        closed: () => audience.unsubscribe(all, socket),
      };
    },
  };
}

export function shootoutCableEndpoint(): Endpoint {
  const audience = new Streams();
  return {
    path: '/cable',
    subprotocol: (offered) => (offered.has('actioncable-v1-json') ? 'actioncable-v1-json' : false),
    serve(socket) {
      socket.send(welcomeMessage);
      const pings = setInterval(() => socket.send(pingMessage()), pingEveryMs);
      return {
        message(text) {
          const message = text === undefined ? binaryMessage : readCable(text);
          if (message.type === 'subscribe') {
            audience.subscribe(all, socket);
            socket.send(confirmMessage);
          } else if (message.type === 'foreign') socket.send(rejectMessage(message.identifier));
          else if (message.type === 'echo') socket.send(channelMessage('echo', message.payload));
          else if (message.type === 'broadcast') {
            audience.send(all, Buffer.from(channelMessage('broadcast', message.payload)));
            socket.send(channelMessage('broadcastResult', message.payload));
          } else if (message.type === 'wrong') socket.send(errorMessage(message.why));
        },
        closed() {
          clearInterval(pings);
          audience.unsubscribe(all, socket);
        },
      };
    },
  };
}

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
