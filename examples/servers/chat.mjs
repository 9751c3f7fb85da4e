import { WebSocketServer } from 'ws';

// A chat with JSON messages of its own, and no HTTP.
const rooms = new Map();
const server = new WebSocketServer({ port: Number(process.env.PORT ?? 4001) });

server.on('connection', (socket) => {
  const reply = (message) => socket.send(JSON.stringify(message));
  const joined = new Set();

  socket.on('message', (text) => {
    const { op, room, id, text: line } = JSON.parse(text);
    if (op === 'join') {
      if (!rooms.has(room)) rooms.set(room, new Set());
      rooms.get(room).add(socket);
      joined.add(room);
      reply({ op: 'joined', room });
    } else if (op === 'say') {
      const message = JSON.stringify({ op: 'msg', room, text: line, at: Date.now() });
      for (const member of rooms.get(room) ?? []) member.send(message);
    } else if (op === 'ping') {
      reply({ op: 'pong', id });
    }
  });

  socket.on('close', () => {
    for (const room of joined) rooms.get(room).delete(socket);
  });
});

server.on('listening', () => console.log(`listening on port ${server.address().port}`));
