import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4 } from 'node:net';
import { outsideText } from '../units/outside-text.js';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Why an Authorization header is refused; undefined if it is right. Compares in constant time. */
export function tokenFault(header: string | undefined, token: string): string | undefined {
  // The scheme is case-insensitive (RFC 9110, section 11.1).
  const given = /^bearer (.+)$/i.exec(header ?? '')?.[1];
  if (given === undefined) return 'expected Authorization: Bearer with the token, received no bearer token';
  if (timingSafeEqual(digest(given), digest(token))) return undefined;
  return 'expected the token of this bench-runner, received another one';
}

interface Asked {
  method: string;
  headers: IncomingHttpHeaders;
}

/**
 * Why a request to a loopback service can be one that a web page of another site made; undefined if it can't. A name
 * of its own that resolves to here shows in Host, a page of another origin in Origin. No page can post JSON to another
 * origin without asking first (CORS), and the service never agrees.
 */
export function pageFault({ method, headers: { host, origin, 'content-type': type = '' } }: Asked): string | undefined {
  if (host !== undefined && !isLoopbackHost(nameIn(host)))
    return `expected a Host of loopback, received ${outsideText(host)}`;
  if (origin !== undefined && origin !== `http://${host}`)
    return `expected no request of another origin, received one of ${outsideText(origin)}`;
  if (method === 'POST' && !/^application\/json\b/i.test(type))
    return `expected content-type: application/json, received ${type === '' ? 'none' : outsideText(type)}`;
  return undefined;
}

/** The name or address in a Host header, without its port. */
function nameIn(host: string): string {
  const { six, name = host } = /^(?:\[(?<six>.*)\]|(?<name>[^:]*))(?::\d*)?$/.exec(host)?.groups ?? {};
  return (six ?? name).toLowerCase();
}

/** Whether only this machine can reach a listening address. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
