import type { HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { Body } from '../body.js';
import { type Answer, answerOther, answerPublish, isPublish, type Service, serverTiming } from '../routes.js';

/** The HTTP endpoints of a target over the library's own HTTP server. */
export function serveHttp(app: TemplatedApp, service: Service): void {
  app.any('/*', (response, request) => {
    const method = request.getCaseSensitiveMethod();
    const path = request.getUrl();
    const send = sender(response);
    if (isPublish(method, path)) receiveBody(response, (body) => send(answerPublish(service, body)));
    else void answerOther(service, method, path).then(send);
  });
}

function receiveBody(response: HttpResponse, received: (body: string | undefined) => void): void {
  const body = new Body();
  response.onData((chunk, isLast) => {
    // The library takes the memory of a chunk back after this call.
    body.push(new Uint8Array(chunk.slice(0)));
    if (isLast) received(body.text());
  });
}

/** The library forbids to touch a response after its client has gone. */
function sender(response: HttpResponse): (answer: Answer) => void {
  let isAborted = false;
  response.onAborted(() => {
    isAborted = true;
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
