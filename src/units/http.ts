import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { isIP, type Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { loopbackSpread, sourceAddresses } from './addresses.js';
import { identitiesOf } from './text.js';

type Library = typeof import('undici');

// Loads only the parts in use. The whole library costs every process and worker 60 ms of CPU more at its start.
const load = createRequire(import.meta.url);
export const Agent: Library['Agent'] = load('undici/lib/dispatcher/agent.js');
export const Client: Library['Client'] = load('undici/lib/dispatcher/client.js');
export const Pool: Library['Pool'] = load('undici/lib/dispatcher/pool.js');
const send: (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData> = load(
  'undici/lib/api/api-request.js',
);

/** Sends a request over `dispatcher`. Resolves with the head of its answer. The body is still to be read. */
export function request(dispatcher: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
  return send.call(dispatcher, options);
}

/** How connections to a target are made. */
export interface HttpReach {
  localAddresses: readonly string[];
  caPem?: string | undefined;
  isInsecure: boolean;
  /** What clients show, as of `identitiesOf`. Requests show the first. */
  targetCert?: string | undefined;
}

/** Returns options of a pool of connections to a host. */
export function reachOptions(host: string, reach: HttpReach, connectTimeoutMs: number) {
  const { localAddresses, caPem, isInsecure, targetCert } = reach;
  const localAddress = sourceAddress(localAddresses, host);
  const [pem] = identitiesOf(targetCert, 1, () => 0);
  return {
    ...(localAddress === undefined ? {} : { localAddress }),
    connect: {
      timeout: connectTimeoutMs,
      // A name must resolve to the family of the source address.
      ...(localAddress === undefined ? {} : { family: isIP(localAddress) }),
      rejectUnauthorized: !isInsecure,
      // `ca` replaces the system's certificates, so both are given.
      ...(caPem === undefined ? {} : { ca: [...rootCertificates, caPem] }),
      ...(pem === undefined ? {} : { cert: pem, key: pem }),
    },
  };
}

/** Returns the address to send from, if clients are bound to theirs. They may leave no port that no address uses. */
function sourceAddress(asked: readonly string[], host: string): string | undefined {
  const [first] = sourceAddresses(asked, host, 0);
  return first !== undefined && loopbackSpread(host, 0).length > 0 ? '127.0.0.1' : first;
}

const nothing = Buffer.alloc(0);
/** By socket, the bytes read of an awaited head. Undefined once the head has arrived. */
const awaited = new WeakMap<Socket, Buffer | undefined>();

// undici takes 100 for a broken answer, and waits anew for its headers after every other interim answer.
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { socket: Socket };
  if (!awaited.has(socket)) readBehindInterim(socket);
  awaited.set(socket, nothing);
});

function readBehindInterim(socket: Socket): void {
  const read: () => Buffer | null = socket.read.bind(socket);
  socket.read = (): Buffer | null => {
    const [bytes, before] = [read(), awaited.get(socket)];
    if (bytes === null || before === undefined) return bytes;
    const rest = behindInterim(Buffer.concat([before, bytes]));
    const isAwaited = canBeInterim(rest);
    awaited.set(socket, isAwaited ? rest : undefined);
    return isAwaited ? socket.read() : rest;
  };
}

/** Text that ends a head, and the maximum bytes of a head before it. */
export const endOfHead = '\r\n\r\n';
export const largestHeadBytes = 16_384;

const interimLine = 'HTTP/1.1 100 ';

/** Returns the rest of an answer after its interim ones, such as 100 or 103, but not 101 (RFC 9110, section 15.2). */
export function behindInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  while (isInterim(statusOf(rest)) && rest.includes(endOfHead))
    rest = rest.subarray(rest.indexOf(endOfHead) + endOfHead.length);
  return rest;
}

/** Returns true if a head that begins so, or has yet to begin, can belong to an interim answer. */
export function canBeInterim(bytes: Buffer): boolean {
  const status = statusOf(bytes);
  return bytes.length <= largestHeadBytes && isInterim(status + interimLine.slice(status.length));
}

function statusOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, interimLine.length);
}

function isInterim(status: string): boolean {
  return /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/.test(status);
}

/** Lower-case names that the WebSocket handshake sets or that announce a body, besides all of `Sec-WebSocket-…`. */
const handshakeNames = ['connection', 'upgrade', 'content-length', 'transfer-encoding'];

/** Reads headers from lines of `Name: value`, in order. An error never includes a value, which may be secret. */
export function parseHeaders(lines: readonly string[]): { headers: Record<string, string>; errors: string[] } {
  const headers: Record<string, string> = {};
  const errors: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '');
    const isRepeated = Object.keys(headers).some((other) => other.toLowerCase() === name.toLowerCase());
    const fault = isRepeated ? `expected ${name} only once` : headerFault(name, value);
    if (colon < 1) errors.push("expected 'Name: value'");
    else if (fault === undefined) headers[name] = value;
    else errors.push(fault);
  }
  return { headers, errors };
}

/** Explains why a request can't carry a header, without its value. Undefined if it can (RFC 9110, 5.1 and 5.5). */
export function headerFault(name: string, value: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'expected a header name of letters, digits and dashes';
  if (handshakeNames.includes(name.toLowerCase()) || /^sec-websocket-/i.test(name))
    return `expected no ${name}, which the handshake sets itself`;
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return `expected ${name} in one line of Latin-1 text`;
  return undefined;
}

/** Parameters of RFC 7692, section 7.1. The last two take a number of bits. */
const known = [
  'server_no_context_takeover',
  'client_no_context_takeover',
  'server_max_window_bits',
  'client_max_window_bits',
];

/**
 * Reads `server_max_window_bits=10; client_no_context_takeover`. A flag has the value 0. Returns undefined for a
 * parameter that is unknown, repeated or wrong. Only the client's window may come without bits, and only in an offer.
 */
export function parseCompression(text: string, isOffer: boolean): Map<string, number> | undefined {
  const found = new Map<string, number>();
  for (const part of text.split(';').map((each) => each.trim())) {
    if (part === '') continue;
    const [, name = '', , bits] = /^([a-z_]+)(\s*=\s*"?(\d{1,2})"?)?$/.exec(part) ?? [];
    const takesBits = known.indexOf(name) >= 2;
    const mayLackBits = !takesBits || (isOffer && name === known[3]);
    const isBits = bits !== undefined && takesBits && Number(bits) >= 8 && Number(bits) <= 15;
    if (!known.includes(name) || found.has(name) || !(isBits || (bits === undefined && mayLackBits))) return undefined;
    found.set(name, Number(bits ?? 0));
  }
  return found;
}
