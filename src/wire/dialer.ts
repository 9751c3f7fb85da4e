import { X509Certificate } from 'node:crypto';
import net from 'node:net';
import type { DuplexOptions } from 'node:stream';
import tls from 'node:tls';
import { createLookupOnce } from './name-lookup.js';
import type { WireSetup } from './wire.js';

/** Large enough that libuv takes what a burst left on one socket in one read. */
const readBufferBytes = 65_536;

/** How an engine makes its sockets. */
export interface Dialer {
  isTls: boolean;
  /** What all sockets of the engine read into. Its bytes hold only during a read callback. */
  readBuffer: Buffer;
  /** The event after which the socket carries our bytes. */
  establishedEvent: 'connect' | 'secureConnect';
  /** Starts to connect; `onRead` runs once per read (over TLS: per record) with its length. `client` picks the source address. */
  dial(client: number, onRead: (length: number) => boolean): net.Socket;
}

/** Prepares everything that is the same for all connections of a setup. Throws for a URL that is none and for a `caPem` without a certificate. */
export function createDialer(setup: WireSetup): Dialer {
  const url = new URL(setup.url);
  const isTls = url.protocol === 'wss:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const isName = net.isIP(host) === 0;
  const lookup = isName ? createLookupOnce() : undefined;
  const tlsOptions = isTls ? tlsOptionsOf(setup, isName ? host : undefined) : undefined;
  const readBuffer = Buffer.allocUnsafeSlow(readBufferBytes);
  const { localAddresses } = setup;

  return {
    isTls,
    readBuffer,
    establishedEvent: isTls ? 'secureConnect' : 'connect',
    dial: (client, onRead) => {
      const localAddress = localAddresses[client % localAddresses.length];
      const options: net.TcpNetConnectOpts & DuplexOptions = {
        host,
        port,
        lookup,
        localAddress,
        // A name with addresses of both families must resolve to that of the source address.
        family: localAddress === undefined ? undefined : net.isIP(localAddress),
        onread: { buffer: readBuffer, callback: onRead },
        // What Node sets in its own copy of these options, to these values. Not finding them there it adds them one by one, and V8 then gives every
        // copy a shape of its own, on which no inline cache of the constructors ever hits: that made a socket four times as dear.
        allowHalfOpen: false,
        emitClose: false,
        autoDestroy: true,
        decodeStrings: false,
      };
      return tlsOptions === undefined ? net.connect(options) : tls.connect({ ...options, ...tlsOptions });
    },
  };
}

function tlsOptionsOf(setup: WireSetup, servername: string | undefined): tls.ConnectionOptions {
  const ca = setup.caPem === undefined ? {} : { ca: [...tls.rootCertificates, setup.caPem] };
  // A context leaves out what is no certificate without a word; this throws.
  if (setup.caPem !== undefined) new X509Certificate(setup.caPem);
  return {
    // One context for all connections: reading the certificates again for each would cost more than the handshake.
    secureContext: tls.createSecureContext(ca),
    rejectUnauthorized: !setup.isInsecure,
    ...(servername === undefined ? {} : { servername }),
  };
}
