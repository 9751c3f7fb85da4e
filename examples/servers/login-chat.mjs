import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';

// A chat for users: POST /login gives a token, /ws?token=… takes it once, and without one the upgrade ends with 401.
const users = new Map();
const chat = new WebSocketServer({ noServer: true });

const http = createServer(async (request, response) => {
  if (request.method !== 'POST' || request.url !== '/login') return response.writeHead(404).end();
  const { user } = await json(request);
  const token = randomUUID();
  users.set(token, user);
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ token }));
});

http.on('upgrade', (request, socket, head) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const token = searchParams.get('token');
  const user = users.get(token);
  if (pathname !== '/ws' || !users.delete(token)) return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
  chat.handleUpgrade(request, socket, head, (client) => {
    client.send(JSON.stringify({ welcome: user }));
    client.on('message', (text) => {
      for (const each of chat.clients) each.send(JSON.stringify({ from: user, said: `${text}` }));
    });
  });
});

http.listen(Number(process.env.PORT ?? 4005), () => console.log(`listening on port ${http.address().port}`));
