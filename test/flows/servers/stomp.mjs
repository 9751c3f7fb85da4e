import { WebSocketServer } from 'ws';
import { announce } from './announce.mjs';

// STOMP 1.2 (https://stomp.github.io/stomp-specification-1.2.html): as much as topics without heartbeats need.
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: ([first]) => first });
const subscriptions = new Set();
let messages = 0;

function parse(text) {
  const [head, body] = text.split(/\n\n(.*)\0/s);
  const [command, ...lines] = head.split('\n');
  return { command, headers: Object.fromEntries(lines.map((line) => line.split(/:(.*)/s))), body };
}

function frame(command, headers, body = '') {
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  return `${command}\n${lines.join('')}\n${body}\0`;
}

server.on('connection', (socket) => {
  const commands = {
    CONNECT: () => socket.send(frame('CONNECTED', { version: '1.2' })),
    SUBSCRIBE: ({ id, destination }) => subscriptions.add({ socket, id, destination }),
    SEND({ destination }, body) {
      for (const { socket: subscriber, id, destination: own } of subscriptions) {
        if (own !== destination) continue;
        const headers = { subscription: id, 'message-id': messages++, destination };
        subscriber.send(frame('MESSAGE', headers, body));
      }
    },
  };

  socket.on('message', (bytes) => {
    const { command, headers, body } = parse(bytes.toString());
    commands[command]?.(headers, body);
    if (headers.receipt) socket.send(frame('RECEIPT', { 'receipt-id': headers.receipt }));
  });

  socket.on('close', () => {
    for (const each of subscriptions) if (each.socket === socket) subscriptions.delete(each);
  });
});

announce(server);
