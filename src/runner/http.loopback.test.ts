import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { refusal } from '../contract/shard.js';
import { createService } from './http.js';
import { runnerOptions } from './options.js';
import { createIdentity } from './shard-self.js';

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
  expect(refusal.parse(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).problems).toMatchObject([{ code: 'badBody' }]);
});
