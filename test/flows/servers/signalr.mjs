import { WebSocketServer } from 'ws';
import { announce } from './announce.mjs';

// SignalR's JSON hub protocol without negotiation. Each invocation is answered with its first argument.
const separator = '\x1e';
const [invocation, completion, ping] = [1, 3, 6];
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/hub' });

server.on('connection', (socket) => {
  const say = (message) => socket.send(JSON.stringify(message) + separator);
  let isShaken = false;

  function receive(message) {
    if (!isShaken) say({});
    else if (message.type === ping) say({ type: ping });
    else if (message.type === invocation) {
      const { invocationId, arguments: args } = message;
      say({ type: completion, invocationId, result: args[0] });
    }
    isShaken = true;
  }

  socket.on('message', (bytes) => {
    for (const text of bytes.toString().split(separator)) if (text !== '') receive(JSON.parse(text));
  });
});

announce(server);
