import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether an Authorization header carries the token. Takes the same time whatever is wrong with it. */
export function carriesToken(header: string | undefined, token: string): boolean {
  const given = header?.startsWith('Bearer ') ? header.slice('Bearer '.length) : '';
  return timingSafeEqual(digest(given), digest(token));
}

/** Whether a listening address is reachable from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
