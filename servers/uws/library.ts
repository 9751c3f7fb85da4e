import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { fail } from '../foreground.js';
import { packagesIn, packageVersion } from '../stats.js';

export interface UwsLibrary {
  uws: typeof import('uWebSockets.js');
  version: string;
}

/** Loads the library. Without a binary for this platform, the process of `server` ends with exit code 2. */
export function loadUws(server: string, folder?: string): UwsLibrary {
  const require = packagesIn(folder);
  try {
    return { uws: require('uWebSockets.js'), version: packageVersion('uWebSockets.js', require) };
  } catch (error) {
    const { message } = error as Error;
    const [libc] = /GLIBC_[\d.]+/.exec(message) ?? [];
    return fail(server, `uWebSockets.js can't be loaded: ${libc ? `this system has no ${libc}` : message}`, 2);
  }
}

/** Describes a listen option that the published types have only without a host. */
interface ExclusiveListener {
  listen(host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void): void;
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT. By default two processes silently share a port and its connections. */
const exclusivePort = 1;

/** Names the changes that `listenAlone` makes to the library's defaults. */
export const listenSettings = { listenOptions: 'LIBUS_LISTEN_EXCLUSIVE_PORT' };

/** Listens on a port that no other process has. Resolves to that port. */
export function listenAlone({ uws }: UwsLibrary, app: TemplatedApp, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (socket: us_listen_socket | false) => {
      if (socket === false) reject(new Error('the port is in use, or the address is not one of this machine'));
      else resolve(uws.us_socket_local_port(socket));
    };
    (app as unknown as ExclusiveListener).listen(host, port, exclusivePort, done);
  });
}
