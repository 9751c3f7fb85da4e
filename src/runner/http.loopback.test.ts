import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { refusal } from '../contract/shard.js';
import { runnerOptions } from './allow-list.js';
import { createService } from './http.js';
import { createIdentity } from './shard-self.js';

it.each([
  ['host', 'evil.example'],
  ['origin', 'http://evil.example'],
])('without a token, every route refuses what a web page may have sent: %s %s', async (...header) => {
  const { service } = createService(runnerOptions.parse({}), createIdentity());
  await service.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.server.address() as AddressInfo;
  const asked = [
    ...['/health', '/info', '/now', '/jobs/none', '/runs/5eed0007', '/none', '/jobs/%'].map(
      (path) => ['GET', path] as const,
    ),
    ...['/jobs', '/metronome', '/jobs/none/collected', '/runs/5eed0007/driver'].map((path) => ['POST', path] as const),
    ...['/jobs/none', '/metronome'].map((path) => ['DELETE', path] as const),
    ['OPTIONS', '/jobs'] as const,
  ];
  const refused = await Promise.all(
    asked.map(([method, path]) => answerTo(port, method, path, Object.fromEntries([header]))),
  );
  const plain = await answerTo(port, 'POST', '/metronome', { 'content-type': 'text/plain' });
  const program = await answerTo(port, 'GET', '/info', {});
  await service.close();
  for (const answer of [...refused, plain]) expect(answer).toEqual([403, ['fromPage']]);
  expect(program).toEqual([200, []]);
});

/** The status of an answer, and the codes of its problems. A client of Node sends any Host. */
async function answerTo(port: number, method: string, path: string, headers: Record<string, string>) {
  const asking = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { 'content-type': 'application/json', ...headers },
  });
  const [answer] = (await once(asking.end(method === 'POST' ? '{}' : undefined), 'response')) as [IncomingMessage];
  const read = refusal.safeParse(JSON.parse(await text(answer)));
  return [answer.statusCode, read.success ? read.data.problems.map(({ code }) => code) : []];
}

it('a request that does not arrive whole in time is refused, behind a valid token too', async () => {
  const { service } = createService(runnerOptions.parse({ token: 'prime-7919' }), createIdentity(), { withinMs: 307 });
  await service.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((service.server.address() as AddressInfo).port, '127.0.0.1');
  const head = ['POST /jobs HTTP/1.1', 'host: ring', 'authorization: Bearer prime-7919', 'content-length: 101'];
  socket.write(`${[...head, 'content-type: application/json'].join('\r\n')}\r\n\r\n{"contract":`);
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk;
  });
  await once(socket, 'close');
  await service.close();
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});
