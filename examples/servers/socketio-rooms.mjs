import { createServer } from 'node:http';
import { Server } from 'socket.io';

// Socket.IO rooms. The server numbers the lines of each room, so that a client can see what it missed.
const http = createServer();
const io = new Server(http);
const lines = new Map();

io.on('connection', (socket) => {
  socket.on('join', async (room, done) => {
    await socket.join(room);
    done();
  });

  socket.on('say', (room, text, done) => {
    const seq = lines.get(room) ?? 0;
    lines.set(room, seq + 1);
    io.to(room).emit('said', { seq, text });
    done(text);
  });
});

http.listen(Number(process.env.PORT ?? 4009), () => console.log(`listening on port ${http.address().port}`));
