import type { Cause } from '../../wire/wire.js';

const kinds: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect-refused',
  ETIMEDOUT: 'connect-timeout',
  EADDRNOTAVAIL: 'ports-exhausted',
  EMFILE: 'descriptors-exhausted',
  ENFILE: 'descriptors-exhausted',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
};

const tlsCode = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_|INVALID_CA|EPROTO$)/;
const badUpgrade = /^(Invalid (Upgrade|Sec-WebSocket)|Server (sent|indicated))/;

/** The cause of a `ws` error, of several addresses the first, from its code or the message of a failed upgrade. */
export function causeOfError(error: unknown): Cause {
  const { message, code, syscall } = parts(error);
  if (code === 'EADDRNOTAVAIL' && syscall === 'bind') return 'source-address';
  const kind = kinds[code];
  if (kind !== undefined) return kind;
  if (tlsCode.test(code)) return `tls:${code}`;
  if (code.startsWith('WS_ERR_')) return `protocol-error:${code}`;
  if (code.startsWith('HPE_')) return `bad-upgrade:${code}`;
  const status = /^Unexpected server response: (\d+)/.exec(message)?.[1];
  if (status !== undefined) return `http-status:${status}`;
  if (message === 'Opening handshake has timed out' || message === 'timeout') return 'connect-timeout';
  return badUpgrade.test(message) ? `bad-upgrade:${message}` : `network:${code || message}`;
}

/** The cause of a `ws` close event; 1006 means no close frame (RFC 6455, section 7.1.5). */
export function causeOfCloseCode(code: number): Cause {
  return code === 1006 ? 'end-of-stream' : `close-code:${code}`;
}

function parts(error: unknown): { message: string; code: string; syscall: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return parts(error.errors[0]);
  if (!(error instanceof Error)) return { message: String(error), code: '', syscall: '' };
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  return { message: error.message, code: String(code), syscall };
}
