import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerTo, Body, type HttpAnswer, type Service, serverTiming } from './routes.js';

/** Serves the HTTP endpoints of a target over `node:http`, for libraries that attach to its server. */
export function httpSide(service: Service): Server {
  return createServer((request, response) => {
    const { method, path } = asked(request);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    receive(request, (body) => {
      void answerTo(service, { method, path, body }, gone.signal).then((answer) => send(response, answer));
    });
  });
}

export function asked({ method = '', url = '' }: IncomingMessage): { method: string; path: string; query: string } {
  const [path = '', query = ''] = url.split('?', 2);
  return { method, path, query };
}

/** Passes on the whole body of a request, or undefined if it was too long. A body that breaks off gets no answer. */
export function receive(request: IncomingMessage, received: (body: string | undefined) => void): void {
  const body = new Body();
  request.on('data', (chunk: Buffer) => body.push(chunk));
  request.on('end', () => received(body.text()));
}

/** Sends an answer unless the client has left. */
export function send(response: ServerResponse, { status, body, publishMs }: HttpAnswer): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(publishMs === undefined ? {} : { 'server-timing': serverTiming(publishMs) }),
  });
  response.end(body);
}

/** Listens as `TargetServer.listen` does. */
export async function listen(server: Server, host: string, port: number, backlog?: number): Promise<[number]> {
  const listening = once(server, 'listening');
  server.listen({ host, port, ...(backlog !== undefined && { backlog }) });
  await listening;
  return [(server.address() as AddressInfo).port];
}

/** Stops listening and cuts every connection. `cut` ends the upgraded connections. */
export async function shut(server: Server, cut: () => unknown): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  await cut();
  server.closeAllConnections();
  await closed;
}
