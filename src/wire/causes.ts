import { getSystemErrorName } from 'node:util';
import { endOfHead } from '../units/http.js';
import type { Cause } from './wire.js';

export interface SocketError extends Error {
  code?: string;
  syscall?: string;
  errno?: number;
}

const byCode: Readonly<Record<string, Cause>> = {
  ECONNREFUSED: 'connect-refused',
  EADDRNOTAVAIL: 'ports-exhausted',
  // A bind to port 0 of a source address fails with this once its port range is used up.
  EADDRINUSE: 'ports-exhausted',
  EMFILE: 'descriptors-exhausted',
  ENFILE: 'descriptors-exhausted',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
};

/** Returns the cause of a socket's error. `isTls`: the address is `wss://`. `isOpen`: the upgrade was done. */
export function causeOf(error: SocketError, isTls: boolean, isOpen: boolean): Cause {
  const code = error.code ?? error.name;
  // Another port would not help.
  if (code === 'EADDRNOTAVAIL' && error.syscall === 'bind') return 'source-address';
  if (code === 'ETIMEDOUT' && !isOpen) return 'connect-timeout';
  // Node calls an end of TCP within the TLS handshake a reset, which has a number.
  if (isTls && code === 'ECONNRESET' && error.errno === undefined) return 'end-of-stream';
  const known = byCode[code];
  if (known !== undefined) return known;
  // Errors of the system have a number. Others on a TLS socket come from TLS.
  return isTls && error.errno === undefined ? `tls:${code}` : `network:${code}`;
}

/** Returns the cause of the system error with that number. `isBind`: a call of `bind` returned it. */
export function causeOfNumber(number: number, isBind: boolean, isOpen: boolean): Cause {
  const error: Pick<SocketError, 'code' | 'errno' | 'syscall'> = { code: getSystemErrorName(-number), errno: -number };
  if (isBind) error.syscall = 'bind';
  return causeOf(Object.assign(new Error(), error), false, isOpen);
}

/** Returns the cause of a proxy's answer. Undefined if it has connected to the target (RFC 9110, section 9.3.6). */
export function proxyCause(answer: Buffer): Cause | undefined {
  if (!answer.includes(endOfHead)) return 'proxy:header size';
  const status = /^HTTP\/1\.\d (\d{3})[ \r]/.exec(answer.toString('latin1', 0, 16))?.[1];
  return status?.startsWith('2') ? undefined : `proxy:${status ?? 'status line'}`;
}

const causesOfUndici: Readonly<Record<string, Cause>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect-timeout',
  UND_ERR_HEADERS_TIMEOUT: 'answer-timeout',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_DESTROYED: 'ours',
};

/** Returns the cause of the error of an HTTP request. */
export function requestCause(error: SocketError, isTls = false): Cause {
  return causesOfUndici[error.code ?? ''] ?? causeOf(error, isTls, false);
}
