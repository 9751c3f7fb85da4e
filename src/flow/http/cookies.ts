import { isIP } from 'node:net';
import { hostOf } from '../../units/addresses.js';

interface Cookie {
  name: string;
  value: string;
  /** Host, or the domain whose hosts all get it if `isHostOnly` is false. */
  domain: string;
  isHostOnly: boolean;
  path: string;
  isSecure: boolean;
  /** In milliseconds since 1970; Infinity for the whole life of the client. */
  expiresMs: number;
}

/** Cookies that a client keeps. Beyond it, the oldest goes (RFC 6265, section 6.1). */
const mostCookies = 50;
/** Longest name and value of a cookie, together. Longer ones are ignored, as browsers do. */
const longestCookie = 4096;

/** The cookies of one client (RFC 6265). It has no list of public suffixes, as a load has few hosts. */
export class CookieJar {
  /** By domain, path and name, the oldest first. */
  readonly #cookies = new Map<string, Cookie>();

  /** Keeps the cookies of an answer from `url`, by its headers `Set-Cookie`. */
  keep(url: URL, headers: readonly string[], nowMs = Date.now()): void {
    for (const header of headers) {
      const cookie = cookieIn(header, url, nowMs);
      if (!cookie) continue;
      const key = JSON.stringify([cookie.domain, cookie.path, cookie.name]);
      if (cookie.expiresMs <= nowMs) this.#cookies.delete(key);
      else this.#cookies.set(key, cookie);
    }
    for (const oldest of this.#cookies.keys()) {
      if (this.#cookies.size <= mostCookies) break;
      this.#cookies.delete(oldest);
    }
  }

  /** Returns the header `Cookie` of a request to an HTTP or WebSocket URL. Undefined without a cookie for it. */
  for(url: URL, nowMs = Date.now()): string | undefined {
    if (this.#cookies.size === 0) return undefined;
    const host = hostOf(url);
    const fitting = [...this.#cookies.values()].filter(
      ({ domain, isHostOnly, path, isSecure, expiresMs }) =>
        expiresMs > nowMs &&
        (host === domain || (!isHostOnly && isWithin(host, domain))) &&
        isUnder(url.pathname, path) &&
        (!isSecure || isTrusted(url)),
    );
    if (fitting.length === 0) return undefined;
    // Longer paths come first (section 5.4). The sort keeps the order of age among equals.
    fitting.sort((a, b) => b.path.length - a.path.length);
    return fitting.map(({ name, value }) => `${name}=${value}`).join('; ');
  }
}

function cookieIn(header: string, url: URL, nowMs: number): Cookie | undefined {
  const [pair = '', ...attributes] = header.split(';');
  const [name, value] = partsOf(pair);
  if (name === '' || name.length + value.length > longestCookie) return undefined;
  const host = hostOf(url);
  const cookie: Cookie = {
    ...{ name, value, domain: host, isHostOnly: true, path: defaultPath(url.pathname) },
    ...{ isSecure: false, expiresMs: Number.POSITIVE_INFINITY },
  };
  let maxAgeMs: number | undefined;
  for (const attribute of attributes) {
    const [key, given] = partsOf(attribute.includes('=') ? attribute : `${attribute}=`);
    const lower = key.toLowerCase();
    if (lower === 'secure') cookie.isSecure = true;
    if (lower === 'path') cookie.path = given.startsWith('/') ? given : defaultPath(url.pathname);
    if (lower === 'max-age' && /^-?\d+$/.test(given)) maxAgeMs = Number(given) * 1000;
    if (lower === 'expires' && !Number.isNaN(Date.parse(given))) cookie.expiresMs = Date.parse(given);
    if (lower === 'domain' && given !== '') {
      cookie.domain = given.replace(/^\./, '').toLowerCase();
      cookie.isHostOnly = false;
    }
  }
  // Max-Age wins over Expires.
  if (maxAgeMs !== undefined) cookie.expiresMs = nowMs + maxAgeMs;
  return isWithin(host, cookie.domain) ? cookie : undefined;
}

function partsOf(text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  return [text.slice(0, Math.max(0, equals)).trim(), text.slice(equals + 1).trim()];
}

/** Returns the path of a cookie that names none (section 5.1.4). */
function defaultPath(pathname: string): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')));
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && isIP(host) === 0);
}

function isUnder(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}

/** Browsers trust TLS, and the machine itself. */
function isTrusted(url: URL): boolean {
  const host = hostOf(url);
  return url.protocol === 'https:' || url.protocol === 'wss:' || host === 'localhost' || /^(127\.|::1$)/.test(host);
}
