import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { Pool } from 'undici';
import { fail, runServer } from '../foreground.js';
import { asked, listen, receive, send } from '../http-side.js';
import { answerOther, type HttpAnswer, isPublish, refusal, tooLong } from '../routes.js';
import { packageVersion, statsReader } from '../stats.js';

/** By default, one bench-runner has this many publishes open at once. */
const connections = 64;

const name = 'application';

await runServer(
  name,
  ({ flags, values }) => {
    const publishUrl = values['publish-url'];
    const version = packageVersion('undici');
    if (publishUrl === undefined && !flags.has('version'))
      fail(name, '--publish-url must say where the target takes publishes', 2);
    const { origin, pathname, search } = new URL(publishUrl ?? 'http://127.0.0.1');
    const target = new Pool(origin, { connections, pipelining: 1 });
    const onward = { method: 'POST', headers: { 'content-type': 'application/json' } } as const;
    const forward = async (body: string | undefined, query: string): Promise<HttpAnswer> => {
      if (body === undefined) return tooLong();
      try {
        // The publisher's query can carry a signature of the whole request.
        const path = pathname + (query === '' ? search : `?${query}`);
        const given = await target.request({ ...onward, path, body });
        return { status: given.statusCode, body: await given.body.text() };
      } catch (error) {
        return refusal(502, `the target gave no answer: ${(error as Error).message}`);
      }
    };
    const stats = statsReader({ versions: { undici: version }, settings: {}, connections: () => 0 });
    let isClosing = false;
    const http = createServer((request, response) => {
      const { method, path, query } = asked(request);
      const answer = (given: HttpAnswer): void => {
        // A kept-alive connection would delay the end.
        if (isClosing) response.setHeader('connection', 'close');
        if (!response.destroyed) send(response, given);
      };
      const isForTarget = method === 'POST' && path === pathname;
      if (isForTarget || isPublish(method, path)) receive(request, (body) => void forward(body, query).then(answer));
      else void answerOther({ stats }, method, path).then(answer);
    });
    return {
      version,
      listen: (host, port) => listen(http, host, port),
      // If the server ended in the middle of a publish, the publisher would count that broadcast as failed.
      drains: true,
      async close() {
        isClosing = true;
        await promisify(http.close.bind(http))();
        await target.close();
      },
    };
  },
  { valued: ['publish-url'] },
);
