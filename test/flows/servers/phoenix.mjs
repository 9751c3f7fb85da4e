import { WebSocketServer } from 'ws';
import { announce } from './announce.mjs';

// Phoenix channels, serializer 2.0.0: [join_ref, ref, topic, event, payload]. Each push is answered and broadcast.
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/socket/websocket' });
const topics = new Map();

server.on('connection', (socket) => {
  const joined = new Set();

  socket.on('message', (text) => {
    const [joinRef, ref, topic, event, payload] = JSON.parse(text);
    const say = (message) => socket.send(JSON.stringify(message));
    say([joinRef, ref, topic, 'phx_reply', { status: 'ok', response: payload }]);
    if (event === 'phx_join') {
      if (!topics.has(topic)) topics.set(topic, new Set());
      topics.get(topic).add(socket);
      joined.add(topic);
    } else if (event === 'phx_leave') {
      topics.get(topic)?.delete(socket);
      say([joinRef, ref, topic, 'phx_close', {}]);
    } else if (event !== 'heartbeat') {
      const message = JSON.stringify([null, null, topic, event, payload]);
      for (const member of topics.get(topic) ?? []) member.send(message);
    }
  });

  socket.on('close', () => {
    for (const topic of joined) topics.get(topic).delete(socket);
  });
});

announce(server);
