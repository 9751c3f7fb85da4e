import { type EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Body } from './body.js';
import { answerBatch, isInProcess } from './in-process.js';
import { type Answer, answerOther, answerPublish, isPublish, type Service, serverTiming } from './routes.js';

/** The HTTP endpoints of a target over `node:http`, for libraries that attach to its server. */
export function httpSide(service: Service): Server {
  return createServer((request, response) => {
    const method = request.method ?? '';
    const path = request.url?.split('?', 1)[0] ?? '';
    if (isPublish(method, path)) receive(request, (body) => send(response, answerPublish(service, body)));
    else if (isInProcess(method, path)) receiveBatch(service, request, response);
    else void answerOther(service, method, path).then((answer) => send(response, answer));
  });
}

/** Listens and gives the one port in use, as `TargetServer.listen` does. Rejects with the system's error; `events` is whoever emits it first, where that isn't the server. */
export async function listen(
  server: Server,
  host: string,
  port: number,
  events: EventEmitter = server,
  backlog?: number,
): Promise<[number]> {
  const listening = once(events, 'listening');
  server.listen({ host, port, ...(backlog !== undefined && { backlog }) });
  await listening;
  return [(server.address() as AddressInfo).port];
}

function receive(request: IncomingMessage, received: (body: string | undefined) => void): void {
  const body = new Body();
  request.on('data', (chunk: Buffer) => body.push(chunk));
  request.on('end', () => received(body.text()));
}

/** A batch ends with the connection that brought it, which a closing server cuts. */
function receiveBatch(service: Service, request: IncomingMessage, response: ServerResponse): void {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  receive(request, (body) => {
    void answerBatch(service, body, gone.signal).then((answer) => send(response, answer));
  });
}

function send(response: ServerResponse, { status, body, publishMs }: Answer): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(publishMs === undefined ? {} : { 'server-timing': serverTiming(publishMs) }),
  });
  response.end(body);
}
