import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { readTcp, tcpBetween } from './tcp.js';

it.runIf(process.platform === 'linux')('a receiver that does not read is counted at both ends', async () => {
  const before = readTcp();
  const server = createServer({ pauseOnConnect: true }, (socket) => socket.on('error', () => undefined));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const accepted = once(server, 'connection');
  sender.write(Buffer.alloc(16 * 2 ** 20));
  const [receiver] = (await accepted) as [ReturnType<typeof connect>];
  const seen = () => {
    const { windowsClosed = 0, windowsProbed = 0 } = tcpBetween(before, readTcp())?.counts ?? {};
    return Math.min(windowsClosed, windowsProbed);
  };
  await expect.poll(seen, { timeout: 30_000, interval: 101 }).toBeGreaterThan(0);
  sender.destroy();
  receiver.destroy();
  server.close();
});
