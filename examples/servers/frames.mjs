import { WebSocketServer } from 'ws';

// Topics over binary messages: a byte for the kind, a byte for the length of the topic, the topic, and the content.
const [join, joined, publish, message, ping, pong, error] = [1, 2, 3, 4, 5, 6, 7];
const server = new WebSocketServer({
  port: Number(process.env.PORT ?? 4011),
  handleProtocols: (offered) => offered.has('frames.v1') && 'frames.v1',
});
const topics = new Map();

server.on('connection', (socket) => {
  const own = new Set();
  socket.on('message', (bytes) => {
    const head = 2 + bytes[1];
    const topic = bytes.toString('utf8', 2, head);
    const answer = (kind, content) => Buffer.concat([Buffer.of(kind), bytes.subarray(1, head), content]);
    const content = bytes.subarray(head);
    if (bytes[0] === join) {
      topics.set(topic, (topics.get(topic) ?? new Set()).add(socket));
      own.add(topic);
      socket.send(answer(joined, content));
    } else if (bytes[0] === publish) {
      for (const member of topics.get(topic) ?? []) member.send(answer(message, content));
    } else socket.send(answer(bytes[0] === ping ? pong : error, content));
  });
  socket.on('close', () => {
    for (const topic of own) topics.get(topic).delete(socket);
  });
});

server.on('listening', () => console.log(`listening on port ${server.address().port}`));
