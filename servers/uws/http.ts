import type { HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { Body } from '../broadcast.js';
import { answerBatch, isInProcess } from '../in-process.js';
import { answerOther, answerPublish, type HttpAnswer, isPublish, type Service, serverTiming } from '../routes.js';

/** Serves the HTTP endpoints of a target over the library's own HTTP server. */
export function serveHttp(app: TemplatedApp, service: Service): void {
  app.any('/*', (response, request) => {
    const method = request.getCaseSensitiveMethod();
    const path = request.getUrl();
    const gone = isInProcess(method, path) ? new AbortController() : undefined;
    const send = sender(response, () => gone?.abort());
    if (isPublish(method, path)) receiveBody(response, (body) => send(answerPublish(service, body)));
    else if (gone) receiveBody(response, (body) => void answerBatch(service, body, gone.signal).then(send));
    else void answerOther(service, method, path).then(send);
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
