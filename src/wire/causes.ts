import { getSystemErrorName } from 'node:util';
import type { Cause } from './wire.js';

/** What Node puts on a socket's error beside its message. */
export interface SocketError extends Error {
  code?: string;
  syscall?: string;
  errno?: number;
}

const byCode: Readonly<Record<string, Cause>> = {
  ECONNREFUSED: 'connect-refused',
  EADDRNOTAVAIL: 'ports-exhausted',
  // What a bind to port 0 of a source address says when its range is taken.
  EADDRINUSE: 'ports-exhausted',
  EMFILE: 'descriptors-exhausted',
  ENFILE: 'descriptors-exhausted',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
};

/** The cause of a socket's error. `isTls`: the address is `wss://`; `isOpen`: the upgrade was done. */
export function causeOf(error: SocketError, isTls: boolean, isOpen: boolean): Cause {
  const code = error.code ?? error.name;
  // No port would help.
  if (code === 'EADDRNOTAVAIL' && error.syscall === 'bind') return 'source-address';
  if (code === 'ETIMEDOUT' && !isOpen) return 'connect-timeout';
  const known = byCode[code];
  if (known !== undefined) return known;
  // The system's errors have a number; others on a TLS socket come from TLS.
  return isTls && error.errno === undefined ? `tls:${code}` : `network:${code}`;
}

/** The cause of the system's error with that number. `isBind`: a call of `bind` gave it. */
export function causeOfNumber(number: number, isBind: boolean, isOpen: boolean): Cause {
  const error: Pick<SocketError, 'code' | 'errno' | 'syscall'> = { code: getSystemErrorName(-number), errno: -number };
  if (isBind) error.syscall = 'bind';
  return causeOf(Object.assign(new Error(), error), false, isOpen);
}
