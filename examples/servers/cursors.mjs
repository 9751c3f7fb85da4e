import { WebSocketServer } from 'ws';

// Boards that people draw on together: everybody on a board sees where the others point. Its path is its name.
const boards = new Map();
const server = new WebSocketServer({ port: Number(process.env.PORT ?? 4008) });

server.on('connection', (socket, { url }) => {
  if (!boards.has(url)) boards.set(url, new Set());
  const board = boards.get(url).add(socket);
  socket.send(JSON.stringify({ type: 'welcome', people: board.size }));

  socket.on('message', (move) => {
    for (const each of board) if (each !== socket) each.send(`${move}`);
  });

  socket.on('close', () => board.delete(socket));
});

server.on('listening', () => console.log(`listening on port ${server.address().port}`));
