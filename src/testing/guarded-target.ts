import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';

/** A `ws-json` server that is none of ours and lets in who knows its key. */
export interface GuardedTarget {
  wsUrl: string;
  publishUrl: string;
  /** The cookies of those that were let in. */
  cookies: string[];
  close(): Promise<void>;
}

/** Starts one on a free loopback port: it answers an upgrade without `Authorization: Bearer <key>` with 401. */
export async function guardedTarget(key: string): Promise<GuardedTarget> {
  const sockets = new WebSocketServer({ noServer: true });
  const cookies: string[] = [];
  const http = createServer(async (request, response) => {
    const { data } = JSON.parse(await text(request)) as { data: string };
    for (const socket of sockets.clients) if (socket.readyState === WebSocket.OPEN) socket.send(data);
    response.writeHead(201).end();
  });
  http.on('upgrade', (request, socket, head) => {
    if (request.headers.authorization !== `Bearer ${key}`) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    cookies.push(request.headers.cookie ?? '');
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.on('message', (message) => {
        const { stream } = JSON.parse(String(message)) as { stream: string };
        client.send(JSON.stringify({ type: 'subscribed', stream }));
      });
      // Clients end by a reset.
      client.on('error', () => client.terminate());
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    wsUrl: `ws://127.0.0.1:${port}/ws`,
    publishUrl: `http://127.0.0.1:${port}/_broadcast`,
    cookies,
    async close() {
      for (const client of sockets.clients) client.terminate();
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}
