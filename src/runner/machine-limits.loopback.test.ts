import { once } from 'node:events';
import net from 'node:net';
import { expect, it } from 'vitest';
import { machineLimits } from './machine-limits.js';

/** Other tests on this machine have others. */
const source = `127.77.${(process.pid >> 8) % 256}.${(process.pid % 254) + 1}`;

it.runIf(process.platform === 'linux')('tells real sockets by their source address and their endpoint', async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const sockets = Array.from({ length: 23 }, () => net.connect({ port, host: '127.0.0.1', localAddress: source }));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const { portsTaken: taken, sourcePorts } = machineLimits();
  for (const socket of sockets) socket.destroy();
  server.close();
  expect(sourcePorts).toBeGreaterThan(0);
  expect(taken?.byAddress[source]).toBe(23);
  expect(taken?.byEndpoint[`${source} 127.0.0.1 ${port}`]).toBe(23);
});
