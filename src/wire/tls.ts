import { X509Certificate } from 'node:crypto';
import net from 'node:net';
import tls from 'node:tls';
import type { Cause, EngineStats, WireSetup } from './wire.js';

type Trust = Pick<WireSetup, 'caPem' | 'isInsecure' | 'identities' | 'tlsResume' | 'clientsPerHttp2'>;

/** Browsers offer only the first for a WebSocket, unless they know that the server takes it over HTTP/2. */
const alpn = { http1: 'http/1.1', http2: 'h2' } as const;

/** Throws for a `caPem` without a certificate, which a context silently skips. */
export function checkAuthority({ caPem }: Pick<Trust, 'caPem'>): void {
  if (caPem !== undefined) new X509Certificate(caPem);
}

/** Returns a maker of connections of the JavaScript engine to a host, by identity. Throws as `checkAuthority`. */
export function tlsConnector(trust: Trust, host: string) {
  checkAuthority(trust);
  const { caPem, identities = [], tlsResume = 'none' } = trust;
  const ca = caPem === undefined ? {} : { ca: [...tls.rootCertificates, caPem] };
  // One context serves all of an identity: reading certificates per connection costs more than the handshake.
  const contexts: tls.SecureContext[] = [];
  const sessions: Buffer[] = [];
  const shared = {
    // The name that the certificate must have.
    host,
    rejectUnauthorized: !trust.isInsecure,
    ALPNProtocols: [trust.clientsPerHttp2 === undefined ? alpn.http1 : alpn.http2],
    ...(net.isIP(host) === 0 && { servername: host }),
  };
  return (options: tls.ConnectionOptions, identity: number): tls.TLSSocket => {
    const shown = identity % Math.max(1, identities.length);
    const [cert, place] = [identities[shown], tlsResume === 'own' ? identity : 0];
    contexts[shown] ??= tls.createSecureContext(cert === undefined ? ca : { ...ca, cert, key: cert });
    const [secureContext, session] = [contexts[shown], sessions[place]];
    const socket = tls.connect({ ...options, ...shared, secureContext, ...(session && { session }) });
    // With TLS 1.3, tickets come at any time behind the handshake.
    if (tlsResume !== 'none')
      socket.on('session', (ticket) => {
        sessions[place] = ticket;
      });
    return socket;
  };
}

/** Values of `enum vouching` and `enum resuming`. */
const vouching = { nobody: 1, given: 2, byDefault: 3 } as const;
const resuming = { none: 0, shared: 1, own: 2 } as const;
const versions: Readonly<Record<string, number>> = {
  TLSv1: 0x301,
  'TLSv1.1': 0x302,
  'TLSv1.2': 0x303,
  'TLSv1.3': 0x304,
};

/** Returns the same for the native engine: numbers and texts of `struct numbers` and `struct setup`. */
export function nativeTls(trust: Trust, host: string): { numbers: number[]; texts: string[] } {
  const { caPem, isInsecure, tlsResume = 'none' } = trust;
  const of = isInsecure ? 'nobody' : caPem === undefined ? 'byDefault' : 'given';
  // Newer versions of Node add the authorities of the system, as their options say.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  const authorities = {
    nobody: () => [],
    given: () => [...tls.rootCertificates, caPem],
    byDefault: () => getCACertificates?.('default') ?? tls.rootCertificates,
  };
  const ciphers = tls.DEFAULT_CIPHERS.split(':');
  const isSuite = (name: string): boolean => name.startsWith('TLS_');
  const listed = [ciphers.filter((name) => !isSuite(name)), ciphers.filter(isSuite)].map((names) => names.join(':'));
  return {
    numbers: [
      ...[vouching[of], versions[tls.DEFAULT_MIN_VERSION]!, versions[tls.DEFAULT_MAX_VERSION]!],
      resuming[tlsResume],
    ],
    texts: [host, authorities[of]().join('\n'), ...listed],
  };
}

/** Names of the verdicts on a certificate by number, from 2 on (`X509_V_ERR_…`). */
const verdicts = [
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_CRL', 'UNABLE_TO_DECRYPT_CERT_SIGNATURE'],
  ...['UNABLE_TO_DECRYPT_CRL_SIGNATURE', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY', 'CERT_SIGNATURE_FAILURE'],
  ...['CRL_SIGNATURE_FAILURE', 'CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED', 'CRL_NOT_YET_VALID', 'CRL_HAS_EXPIRED'],
  ...['ERROR_IN_CERT_NOT_BEFORE_FIELD', 'ERROR_IN_CERT_NOT_AFTER_FIELD', 'ERROR_IN_CRL_LAST_UPDATE_FIELD'],
  ...['ERROR_IN_CRL_NEXT_UPDATE_FIELD', 'OUT_OF_MEM', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_CHAIN_TOO_LONG', 'CERT_REVOKED'],
  ...['INVALID_CA', 'PATH_LENGTH_EXCEEDED', 'INVALID_PURPOSE', 'CERT_UNTRUSTED', 'CERT_REJECTED'],
];
const otherHost = 62;

/** Returns the cause of a TLS failure as Node names it, from the verdict on the certificate or OpenSSL's reason. */
export function tlsCause(verdict: number, reason: string): Cause {
  if (verdict === 0) return `tls:ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
  return `tls:${verdict === otherHost ? 'ERR_TLS_CERT_ALTNAME_INVALID' : (verdicts[verdict - 2] ?? 'UNSPECIFIED')}`;
}

/** Counts TLS handshakes by version, and those that resumed a session. */
export class Handshakes {
  readonly #counts: Record<string, number> = {};

  count(version: string, isResumed: boolean): void {
    const kind = isResumed ? `${version} resumed` : version;
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
  }

  /** Returns nothing without a handshake. Both engines use the OpenSSL of Node. */
  stats(): Pick<EngineStats, 'handshakes' | 'openssl'> {
    if (Object.keys(this.#counts).length === 0) return {};
    return { handshakes: { ...this.#counts }, openssl: process.versions.openssl };
  }
}
