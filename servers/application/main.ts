import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { Pool } from 'undici';
import { fail, runServer } from '../foreground.js';
import { asked, listen, receive, send } from '../http-side.js';
import { type Answer, answerOther, isPublish, problem, tooLong } from '../routes.js';
import { packageVersion, statsReader } from '../stats.js';

/** What one bench-runner publishes at once by default. */
const connections = 64;

/** The way from the application to the target: its publish URL, over kept-alive connections. */
export class Onward {
  readonly #pool: Pool;
  readonly #path: string;

  constructor(publishUrl: string) {
    const url = new URL(publishUrl);
    this.#pool = new Pool(url.origin, { connections, pipelining: 1 });
    this.#path = url.pathname + url.search;
  }

  /** Posts a body as it is. Rejects if the target gives no answer. */
  async publish(body: string): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    const answer = await this.#pool.request({ path: this.#path, method: 'POST', headers, body });
    return { status: answer.statusCode, body: await answer.body.text() };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

const name = 'application';

await runServer(
  name,
  ({ flags, values }) => {
    const publishUrl = values['publish-url'];
    const version = packageVersion('undici');
    if (publishUrl === undefined && !flags.has('version'))
      fail(name, '--publish-url must say where the target takes publishes', 2);
    const onward = new Onward(publishUrl ?? 'http://127.0.0.1');
    const stats = statsReader({ versions: { undici: version }, settings: {}, connections: () => 0 });
    let isClosing = false;
    const http = createServer((request, response) => {
      const { method, path } = asked(request);
      const answer = (given: Answer): void => {
        // A connection that was kept would hold up the end.
        if (isClosing) response.setHeader('connection', 'close');
        if (!response.destroyed) send(response, given);
      };
      if (isPublish(method, path)) receive(request, (body) => void forward(onward, body).then(answer));
      else void answerOther({ publish: () => undefined, stats }, method, path).then(answer);
    });
    return {
      version,
      listen: (host, port) => listen(http, host, port),
      // An end in the middle would leave broadcasts that their publisher takes for failed.
      drains: true,
      async close() {
        isClosing = true;
        await promisify(http.close.bind(http))();
        await onward.close();
      },
    };
  },
  { valued: ['publish-url'] },
);

/** Hands a publish on and gives the target's answer, or 502 without one. */
async function forward(onward: Onward, body: string | undefined): Promise<Answer> {
  if (body === undefined) return tooLong();
  return onward.publish(body).catch((error: Error) => problem(502, `the target gave no answer: ${error.message}`));
}
