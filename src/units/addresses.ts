import { isIP, isIPv4 } from 'node:net';
import { z } from 'zod';

/** Placeholder for the port that a server gets when it starts. */
export const portPlaceholder = '{port}';

export const webSocketUrl = z.url({ protocol: /^wss?$/, error: 'expected a ws:// or wss:// address' });
export const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// address' });

/** Returns the host of a URL, an IPv6 address without brackets. */
export function hostOf(url: URL | string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** Returns the port of a WebSocket URL, by its kind if it names none. */
export function portOf(url: URL | string): string {
  const { port, protocol } = new URL(url);
  return port || (protocol === 'wss:' ? '443' : '80');
}

type Parsed = { addresses: string[]; errors: string[] };

const largestRange = 65_536;

/** Reads addresses and IPv4 ranges of at most 65,536 addresses, both ends included (`127.0.0.2-127.0.0.9`). */
export function parseAddressRanges(texts: readonly string[]): Parsed {
  const parsed: Parsed = { addresses: [], errors: [] };
  for (const text of texts) parseOne(text.trim(), parsed);
  return parsed;
}

function parseOne(text: string, into: Parsed): void {
  if (isIP(text) !== 0) {
    into.addresses.push(text);
    return;
  }
  const [first = '', last = '', ...more] = text.split('-').map((part) => part.trim());
  if (!isIPv4(first) || !isIPv4(last) || more.length > 0) {
    into.errors.push(`expected an IP address or a range like 127.0.0.2-127.0.0.9, received "${text}"`);
    return;
  }
  const from = numberOf(first);
  const count = numberOf(last) - from + 1;
  if (count < 1 || count > largestRange) {
    into.errors.push(`expected a rising range of at most ${largestRange} addresses, received "${text}"`);
    return;
  }
  for (let i = 0; i < count; i++) into.addresses.push(textOf(from + i));
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
}

/** Minimum number of source addresses on loopback. */
export const leastAddresses = 8;
/** Clients per loopback address. With 7,000 and more, the kernel's search for a free port blocks for milliseconds. */
export const clientsPerAddress = 4000;

/** Returns source addresses if `host` is loopback: eight of its block, more for many clients. */
export function loopbackSpread(host: string, clients: number): string[] {
  const isLoopback = host === 'localhost' || (isIPv4(host) && host.startsWith('127.'));
  if (!isLoopback) return [];
  const count = Math.max(leastAddresses, Math.ceil(clients / clientsPerAddress));
  const first = numberOf('127.0.0.2');
  return Array.from({ length: count }, (_, index) => textOf(first + index));
}

/** Returns the source addresses of clients: those asked for, or on Linux the loopback spread. Ignores wrong texts. */
export function sourceAddresses(
  asked: readonly string[],
  host: string,
  clients: number,
  platform: NodeJS.Platform = process.platform,
): string[] {
  if (asked.length > 0) return parseAddressRanges(asked).addresses;
  // Only Linux has all of 127.0.0.0/8 by default.
  return platform === 'linux' ? loopbackSpread(host, clients) : [];
}

/** Returns the HTTP proxy of `http://user:password@host:port`, or of that without its scheme. Throws for another text. */
export function proxyIn(text: string): URL {
  const url = new URL(text.includes('://') ? text : `http://${text}`);
  if (url.protocol !== 'http:' || url.pathname !== '/' || url.search !== '') throw new TypeError('no http://host:port');
  return url;
}

/** Returns true for an HTTP proxy as of `proxyIn`, and for `env`. */
export function isProxy(text: string): boolean {
  try {
    return proxyIn(text).hostname !== '';
  } catch {
    return false;
  }
}

/** Returns the host that a connection to a target reaches first. */
export function firstHost(url: URL | string, proxy: string | undefined): string {
  return hostOf(proxy === undefined ? url : proxyIn(proxy));
}

/** Returns an address for results and logs, without credentials and query. */
export function withoutSecrets(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.search = '';
  return address.endsWith('/') ? url.href : url.href.replace(/\/$/, '');
}
