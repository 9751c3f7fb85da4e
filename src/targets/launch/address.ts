import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { TargetStartError } from './start-error.js';

const acceptWithinMs = 1_000;

/** Host and port as a URL has them: an IPv6 address goes in brackets. */
export function authority({ host, port }: { host: string; port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A port of `host` that nothing listens on now. Throws `TargetStartError` when the host is not one of this machine. */
export async function freePort(host: string): Promise<number> {
  const server = createServer().listen({ host, port: 0 });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new TargetStartError(
      `no port of ${host} can be listened on: ${(error as Error).message}`,
      'Give an address of this machine.',
    );
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether something accepts connections on the port. An address that can't be connected to is not taken: listening there says what is wrong. */
export async function isTaken(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: acceptWithinMs });
  const isAccepted = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('timeout', () => resolve(false));
    socket.once('error', () => resolve(false));
  });
  socket.destroy();
  return isAccepted;
}
