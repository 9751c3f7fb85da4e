import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, rootCertificates } from 'node:tls';
import type { Cause } from '../../protocols/protocol.js';
import type { LoadOptions } from '../../scenarios/load-options.js';
import { hostOf } from '../../units/addresses.js';
import { endOfHead } from '../../units/http.js';
import { proxyCause } from '../../wire/causes.js';
import { firstHop } from '../../wire/dialer.js';

/** What a client of a trial shows, whom it trusts, and its way. */
export type TrialWay = Pick<LoadOptions, 'caPem' | 'isInsecure' | 'proxy'> & { identity?: string | undefined };

/** Returns the TLS options of a client. Its certificates come on top of those of Node. */
export function tlsOf({ caPem, isInsecure, identity }: TrialWay): ConnectionOptions {
  return {
    rejectUnauthorized: !isInsecure,
    ...(caPem !== undefined && { ca: [...rootCertificates, caPem] }),
    ...(identity !== undefined && { cert: identity, key: identity }),
  };
}

type Done = (error: Error | null, socket?: Socket) => void;

/** Returns how a request reaches its target through a proxy. `refused` gets the cause of a proxy that refuses. */
export function tunnelTo(url: string, way: TrialWay, refused: (cause: Cause) => void) {
  const { host, port, isTls, tunnel } = firstHop({ url, proxy: way.proxy });
  return (_options: unknown, done: Done): void => {
    let answer = Buffer.alloc(0);
    const socket = connect(port, host, () => socket.write(tunnel));
    socket.once('error', done);
    socket.on('data', function read(data) {
      answer = Buffer.concat([answer, data]);
      if (!answer.includes(endOfHead)) return;
      socket.off('data', read).off('error', done);
      const cause = proxyCause(answer);
      if (cause !== undefined) {
        refused(cause);
        socket.destroy();
        done(new Error(cause));
        return;
      }
      const name = hostOf(url);
      done(
        null,
        isTls
          ? connectTls({ ...tlsOf(way), socket, host: name, ...(isIP(name) === 0 && { servername: name }) })
          : socket,
      );
    });
  };
}
