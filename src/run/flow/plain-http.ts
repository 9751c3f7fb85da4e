import type { Answer, Http, HttpOptions } from '../../flow/api.js';

/** Returns requests to the HTTP side of a target, for `setup` and `teardown`. Nothing of them is measured. */
export function plainHttp(target: URL): Http {
  const base = new URL(target);
  base.protocol = target.protocol === 'wss:' ? 'https:' : 'http:';
  const ask = (method: string, path: string, body: unknown, options: HttpOptions = {}): Answer => {
    const answered = answerTo(new URL(path, base), method, body, options);
    const text = async (): Promise<string> => (await answered).text();
    return Object.assign(answered, { text, json: async () => JSON.parse(await text()) });
  };
  return {
    get: (path, options) => ask('GET', path, undefined, options),
    post: (path, body, options) => ask('POST', path, body, options),
  };
}

async function answerTo(url: URL, method: string, body: unknown, { headers, expect }: HttpOptions): Promise<Response> {
  const isText = typeof body === 'string' || body === undefined;
  const answer = await fetch(url, {
    method,
    headers: { ...(isText ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  const isExpected = expect === undefined ? answer.status < 400 : [expect].flat().includes(answer.status);
  if (isExpected) return answer;
  throw new Error(`${method} ${url.pathname}: expected status ${expect ?? 'below 400'}, received ${answer.status}`);
}
