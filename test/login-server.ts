import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** A server with a login: each gives a token that opens connections, and it counts how often each did. */
export class LoginServer {
  /** Uses by token. */
  readonly uses = new Map<string, number>();
  /** What each login sent, and what each upgrade asked for, in order. */
  readonly logins: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  readonly upgrades: IncomingMessage[] = [];
  readonly #http: Server = createServer();
  readonly #ws = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered].at(-1) ?? false });

  /** `refuses`: which logins, counted from 0, get 401. */
  constructor(refuses: (login: number) => boolean = () => false) {
    this.#http.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const login = this.logins.length;
      const { url: path = '', headers } = request;
      this.logins.push({ path, headers, body: Buffer.concat(chunks).toString() });
      if (refuses(login)) return void response.writeHead(401).end('hush-refused');
      const token = `hush-${login}.7919`;
      this.uses.set(token, 0);
      response.setHeader('set-cookie', [`sid=${token}; Path=/; HttpOnly`, 'theme=dark; Path=/']);
      response.end(JSON.stringify({ token, data: { user: { id: login } } }));
    });
    this.#http.on('upgrade', (request, socket, head) => {
      this.upgrades.push(request);
      const token = [...this.uses.keys()].find((each) => isIn(request, each));
      if (token === undefined) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      this.uses.set(token, (this.uses.get(token) as number) + 1);
      this.#ws.handleUpgrade(request, socket, head, (client) => {
        client.on('message', (data, isBinary) => {
          const text = String(data);
          client.send(text.replace('"subscribe"', '"subscribed"'), { binary: isBinary });
        });
      });
    });
  }

  async listen(): Promise<number> {
    await once(this.#http.listen(0, '127.0.0.1'), 'listening');
    return (this.#http.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const client of this.#ws.clients) client.terminate();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}

/** A token can come in the query, a header, a cookie or a subprotocol; no token is the beginning of another. */
function isIn({ url = '', headers }: IncomingMessage, token: string): boolean {
  const places = [url, headers.authorization, headers.cookie, headers['sec-websocket-protocol']].join(' ');
  return new RegExp(`(^|[^\\w-])${token.replaceAll('.', '\\.')}($|[^\\w])`).test(places);
}
