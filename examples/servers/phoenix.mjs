import { WebSocketServer } from 'ws';

// Channels as Phoenix serves them: [join_ref, ref, topic, event, payload]. A topic broadcasts what its members shout.
const server = new WebSocketServer({ port: Number(process.env.PORT ?? 4010), path: '/socket/websocket' });
const topics = new Map();
/** Phoenix closes a socket that was silent for so long. */
const silentMs = 60_000;

server.on('connection', (socket) => {
  const joined = new Set();
  const silence = setTimeout(() => socket.close(), silentMs);
  socket.on('message', (text) => {
    silence.refresh();
    const [joinRef, ref, topic, event, payload] = JSON.parse(text);
    const reply = (status, response = {}) =>
      socket.send(JSON.stringify([joinRef, ref, topic, 'phx_reply', { status, response }]));
    if (event === 'heartbeat') return reply('ok');
    if (event === 'phx_join') {
      if (!topic.startsWith('room:')) return reply('error', { reason: 'unmatched topic' });
      topics.set(topic, (topics.get(topic) ?? new Set()).add(socket));
      joined.add(topic);
      return reply('ok');
    }
    if (!joined.has(topic)) return reply('error', { reason: 'unmatched topic' });
    const message = JSON.stringify([null, null, topic, event, payload]);
    for (const member of topics.get(topic)) member.send(message);
  });
  socket.on('close', () => {
    clearTimeout(silence);
    for (const topic of joined) topics.get(topic).delete(socket);
  });
});

server.on('listening', () => console.log(`listening on port ${server.address().port}`));
