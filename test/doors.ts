import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import { afterAll } from 'vitest';

/** Ports of a test before a target: what goes through them is seen on its way. */
export interface Doors {
  /** Hands upgrades on to a port, but for those to which `answer` gives an HTTP status; gives its own port. */
  upgrades(port: number, answer: (request: IncomingMessage) => number | undefined): Promise<number>;
  /** Hands what is posted on to a port once `seen` has its path and body; gives its own port. */
  posts(port: number, seen: (path: string, body: Buffer) => unknown): Promise<number>;
  /** Reads what is posted, and never answers it. */
  mute(): Promise<number>;
}

/** The doors of a test file, closed after its last test. */
export function doors(): Doors {
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });
  const open = async (listener?: RequestListener): Promise<{ server: Server; port: number }> => {
    const server = createServer(listener);
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { server, port: (server.address() as AddressInfo).port };
  };
  return {
    async upgrades(to, answer) {
      const { server, port } = await open();
      server.on('upgrade', (asked, socket, head) => {
        // Either side may be reset under the other.
        socket.on('error', () => socket.destroy());
        const status = answer(asked);
        if (status !== undefined) {
          socket.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
          return;
        }
        const behind = connect(to, '127.0.0.1');
        behind.on('error', () => socket.destroy());
        socket.on('close', () => behind.destroy());
        behind.write(`GET ${asked.url} HTTP/1.1\r\n`);
        asked.rawHeaders.forEach((text, n) => void behind.write(n % 2 === 0 ? `${text}: ` : `${text}\r\n`));
        behind.write(Buffer.concat([Buffer.from('\r\n'), head]));
        socket.pipe(behind).pipe(socket);
      });
      return port;
    },
    async posts(to, seen) {
      const { port } = await open(async (incoming, answer) => {
        const body = await buffer(incoming);
        const path = incoming.url ?? '';
        await seen(path, body);
        const handed = request(`http://127.0.0.1:${to}${path}`, { method: 'POST', body });
        const { statusCode, body: answered } = await handed.catch(() => ({ statusCode: 502, body: undefined }));
        answer.writeHead(statusCode).end(await answered?.text().catch(() => ''));
      });
      return port;
    },
    mute: async () => (await open((incoming) => void incoming.resume())).port,
  };
}
