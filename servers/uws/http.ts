import type { HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { Body } from '../broadcast.js';
import { answerTo, type HttpAnswer, type Service, serverTiming } from '../routes.js';

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
