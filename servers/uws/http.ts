import type { HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { Body } from '../body.js';
import { type Answer, answerOther, answerPublish, isPublish, type Service } from '../routes.js';

/** The HTTP endpoints of a target over the library's own HTTP server. */
export function serveHttp(app: TemplatedApp, service: Service): void {
  app.any('/*', (response, request) => {
    const method = request.getCaseSensitiveMethod();
    const path = request.getUrl();
    if (isPublish(method, path)) receivePublish(service, response);
    else send(response, answerOther(service, method, path));
  });
}

function receivePublish(service: Service, response: HttpResponse): void {
  const body = new Body();
  let isAborted = false;
  response.onAborted(() => {
    isAborted = true;
  });
  response.onData((chunk, isLast) => {
    // The library takes the memory of a chunk back after this call.
    body.push(new Uint8Array(chunk.slice(0)));
    if (isLast && !isAborted) response.cork(() => send(response, answerPublish(service, body.text())));
  });
}

function send(response: HttpResponse, { status, body }: Answer): void {
  response.writeStatus(`${status} ${STATUS_CODES[status]}`).writeHeader('content-type', 'application/json').end(body);
}
