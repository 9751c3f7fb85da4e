import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { TargetStartError } from './start-error.js';

const acceptWithinMs = 1_000;

/** Host and port as a URL has them: an IPv6 address goes in brackets. */
export function authority({ host, port }: { host: string; port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A free port of `host`. Throws `TargetStartError` if this machine does not have that address. */
export async function freePort(host: string): Promise<number> {
  const server = createServer().listen({ host, port: 0 });
  await once(server, 'listening').catch((error: Error) => {
    throw new TargetStartError(
      'noSuchHost',
      `can't listen on ${host}: ${error.message}`,
      'Give an address of this machine.',
    );
  });
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether something accepts connections on the port. An unreachable address counts as free: listening tells why. */
export async function isTaken(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: acceptWithinMs });
  const isAccepted = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    for (const failure of ['timeout', 'error']) socket.once(failure, () => resolve(false));
  });
  socket.destroy();
  return isAccepted;
}
