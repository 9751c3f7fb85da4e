import type { HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { fail } from '../foreground.js';
import { answerTo, Body, type HttpAnswer, type Service, serverTiming } from '../routes.js';
import { packagesIn, packageVersion } from '../stats.js';

export interface UwsLibrary {
  uws: typeof import('uWebSockets.js');
  version: string;
}

/** Loads the library. Without a binary for this platform, the process of `server` ends with exit code 2. */
export function loadUws(server: string, folder?: string): UwsLibrary {
  const require = packagesIn(folder);
  try {
    return { uws: require('uWebSockets.js'), version: packageVersion('uWebSockets.js', require) };
  } catch (error) {
    const { message } = error as Error;
    const [libc] = /GLIBC_[\d.]+/.exec(message) ?? [];
    return fail(server, `uWebSockets.js can't be loaded: ${libc ? `this system has no ${libc}` : message}`, 2);
  }
}

/** Describes a listen option that the published types have only without a host. */
interface ExclusiveListener {
  listen(host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void): void;
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT. By default two processes silently share a port and its connections. */
const exclusivePort = 1;

/** Names the changes that `listenAlone` makes to the library's defaults. */
export const listenSettings = { listenOptions: 'LIBUS_LISTEN_EXCLUSIVE_PORT' };

/** Names the way to compress of `--compression on`, which the library has off by default. */
export function compressionSettings({ compression }: { compression?: string | undefined }) {
  return compression === 'on' ? { compression: 'SHARED_COMPRESSOR' } : {};
}

/** Listens on a port that no other process has. Resolves to that port. */
export function listenAlone({ uws }: UwsLibrary, app: TemplatedApp, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (socket: us_listen_socket | false) => {
      if (socket === false) reject(new Error('the port is in use, or the address is not one of this machine'));
      else resolve(uws.us_socket_local_port(socket));
    };
    (app as unknown as ExclusiveListener).listen(host, port, exclusivePort, done);
  });
}

/** Serves the HTTP endpoints of a target over the library's own HTTP server. */
export function serveHttp(app: TemplatedApp, service: Service): void {
  app.any('/*', (response, request) => {
    const [method, path] = [request.getCaseSensitiveMethod(), request.getUrl()];
    const gone = new AbortController();
    const send = sender(response, () => gone.abort());
    const answer = (body?: string): void => void answerTo(service, { method, path, body }, gone.signal).then(send);
    if (method === 'POST') receiveBody(response, answer);
    else answer();
  });
}

function receiveBody(response: HttpResponse, received: (body: string | undefined) => void): void {
  const body = new Body();
  response.onData((chunk, isLast) => {
    // The library reuses the memory of a chunk after this call.
    body.push(new Uint8Array(chunk.slice(0)));
    if (isLast) received(body.text());
  });
}

/** Returns a function that sends an answer. The library forbids the use of a response after its client has left. */
function sender(response: HttpResponse, gone: () => void): (answer: HttpAnswer) => void {
  let isAborted = false;
  response.onAborted(() => {
    isAborted = true;
    gone();
  });
  return ({ status, body, publishMs }) => {
    if (isAborted) return;
    response.cork(() => {
      response.writeStatus(`${status} ${STATUS_CODES[status]}`).writeHeader('content-type', 'application/json');
      if (publishMs !== undefined) response.writeHeader('server-timing', serverTiming(publishMs));
      response.end(body);
    });
  };
}
