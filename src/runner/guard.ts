import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Why an Authorization header is refused; undefined if it is right. Compares in constant time. */
export function tokenFault(header: string | undefined, token: string): string | undefined {
  // The scheme is case-insensitive (RFC 9110, section 11.1).
  const given = /^bearer (.+)$/i.exec(header ?? '')?.[1];
  if (given === undefined) return 'expected Authorization: Bearer with the token, received no bearer token';
  if (timingSafeEqual(digest(given), digest(token))) return undefined;
  return 'expected the token of this bench-runner, received another one';
}

/** Whether only this machine can reach a listening address. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
