import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from 'socket.io';

// A Socket.IO chat in the namespace /chat. The token is a JWT that SECRET signs with HS256.
const http = createServer();
const chat = new Server(http).of('/chat');

function userOf(token = '') {
  const [head, body, signature] = token.split('.');
  const expected = createHmac('sha256', process.env.SECRET).update(`${head}.${body}`).digest('base64url');
  return signature === expected ? JSON.parse(Buffer.from(body, 'base64url')).sub : undefined;
}

chat.use((socket, next) => {
  socket.data.user = userOf(socket.handshake.auth.token);
  next(socket.data.user ? undefined : new Error('not authorized'));
});

chat.on('connection', (socket) => {
  socket.on('room:join', async ({ room }, done) => {
    await socket.join(room);
    done({ ok: true });
  });

  socket.on('chat:message', ({ room, text }) => {
    chat.to(room).emit('chat:message', { from: socket.data.user, text });
  });
});

http.listen(Number(process.env.PORT ?? 4002), () => console.log(`listening on port ${http.address().port}`));
