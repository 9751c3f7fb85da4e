import { WebSocketServer } from 'ws';

// A plain echo: every message comes back as it is.
const server = new WebSocketServer({ port: Number(process.env.PORT ?? 4000) });

server.on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});

server.on('listening', () => console.log(`listening on port ${server.address().port}`));
