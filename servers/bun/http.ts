import { maxBodyBytes } from '../broadcast.js';
import { answerBatch, isInProcess } from '../in-process.js';
import { type Answer, answerOther, answerPublish, isPublish, type Service, serverTiming } from '../routes.js';

/** The HTTP endpoints of a target over `fetch` handlers. */
export async function answerFetch(service: Service, request: Request): Promise<Response> {
  const { method } = request;
  const { pathname } = new URL(request.url);
  if (isPublish(method, pathname)) return responseOf(answerPublish(service, await bodyOf(request)));
  if (isInProcess(method, pathname))
    return responseOf(await answerBatch(service, await bodyOf(request), request.signal));
  return responseOf(await answerOther(service, method, pathname));
}

async function bodyOf(request: Request): Promise<string | undefined> {
  const body = Buffer.from(await request.arrayBuffer());
  return body.byteLength > maxBodyBytes ? undefined : body.toString();
}

function responseOf({ status, body, publishMs }: Answer): Response {
  const headers = {
    'content-type': 'application/json',
    ...(publishMs !== undefined && { 'server-timing': serverTiming(publishMs) }),
  };
  return new Response(body, { status, headers });
}
