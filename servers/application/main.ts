import { createServer, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { Body } from '../body.js';
import { maxBodyBytes } from '../broadcast.js';
import { fail, runServer } from '../foreground.js';
import { listen } from '../http-side.js';
import { packageVersion } from '../package-version.js';
import { type Answer, answerOther, isPublish } from '../routes.js';
import { statsReader } from '../stats.js';
import { Onward } from './onward.js';

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
    const http = createServer((request, response) => {
      const method = request.method ?? '';
      const path = request.url?.split('?', 1)[0] ?? '';
      if (!isPublish(method, path)) {
        void answerOther({ publish: () => undefined, stats }, method, path).then((answer) => send(response, answer));
        return;
      }
      // A body that breaks off has no end: nobody is there to be answered.
      const body = new Body();
      request.on('data', (chunk: Buffer) => body.push(chunk));
      request.on('end', () => void forward(onward, body.text()).then((answer) => send(response, answer)));
    });
    return {
      version,
      listen: (host, port) => listen(http, host, port),
      async close() {
        // Publishes under way are answered, as by an application that is asked to end.
        await promisify(http.close.bind(http))();
        await onward.close();
      },
    };
  },
  { valued: ['publish-url'] },
);

/** Hands a publish on as it came and gives the target's answer, 502 where there is none. */
async function forward(onward: Onward, body: string | undefined): Promise<Answer> {
  if (body === undefined) return message(413, `the body is longer than ${maxBodyBytes} bytes`);
  return onward.publish(body).catch((error: Error) => message(502, `the target gave no answer: ${error.message}`));
}

function message(status: number, text: string): Answer {
  return { status, body: JSON.stringify({ message: text }) };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
