import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { announce } from './announce.mjs';

// A server for flows that misbehave. `deaf` is the last message that it reads of a socket, `pour 7` asks for seven
// messages, and `cut` resets all sockets. Everything else comes back. It refuses the path /refused with status 403.
const counts = { sockets: 0, open: 0, refused: 0, resets: 0, echoes: 0 };
const http = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(counts));
});
const server = new WebSocketServer({ noServer: true });

http.on('upgrade', (request, socket, head) => {
  if (request.url === '/refused') {
    counts.refused++;
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
  } else
    server.handleUpgrade(request, socket, head, (client) => {
      server.clients.add(client);
      serve(client);
    });
});

function serve(socket) {
  counts.sockets++;
  counts.open++;
  socket.on('close', () => {
    counts.open--;
  });
  socket.on('error', () => undefined);
  socket.on('message', (data) => {
    const text = data.toString();
    const [verb, count] = text.split(' ');
    if (verb === 'deaf') socket.pause();
    else if (verb === 'cut')
      for (const each of server.clients) {
        counts.resets++;
        each._socket.resetAndDestroy();
      }
    else if (verb === 'pour') for (let n = 0; n < Number(count); n++) socket.send(`drop ${n}`);
    else {
      counts.echoes++;
      socket.send(text);
    }
  });
}

http.listen(Number(process.env.PORT ?? 0), '127.0.0.1');
announce(http);
