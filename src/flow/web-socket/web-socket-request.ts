export interface WebSocketRequest {
  url: URL;
  subprotocols: readonly string[];
  headers: { [name: string]: string; Authorization?: string; Cookie?: string; Origin?: string };
}

interface LibraryOptions {
  headers?: unknown;
  origin?: unknown;
  protocols?: unknown;
}

/** A token of RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;

/**
 * Reads the arguments of a `WebSocket`, as browsers take them, or libraries on Node: `(url, { headers, protocols })`
 * and `(url, protocols, { headers, origin })`. Throws a `SyntaxError` as WHATWG says.
 */
export function readArguments(
  base: URL,
  address: string | URL,
  protocols: unknown,
  options: unknown,
): WebSocketRequest {
  const second = isOptions(protocols) ? protocols : undefined;
  const own: LibraryOptions = { ...second, ...(isOptions(options) && options) };
  const subprotocols = subprotocolsOf(second === undefined ? protocols : own.protocols);
  const headers: WebSocketRequest['headers'] = {};
  if (typeof own.origin === 'string') headers.Origin = own.origin;
  const url = addressOf(base, address);
  if (url.username !== '') headers.Authorization = basic(url);
  for (const [name, value] of entriesOf(own.headers)) headers[name] = String(value);
  return { url, subprotocols, headers };
}

function basic({ username, password }: URL): string {
  return `Basic ${Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')}`;
}

function isOptions(value: unknown): value is LibraryOptions {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function entriesOf(headers: unknown): Iterable<[string, unknown]> {
  if (headers instanceof Headers) return headers;
  return typeof headers === 'object' && headers !== null ? Object.entries(headers) : [];
}

function addressOf(base: URL, address: string | URL): URL {
  const text = String(address);
  if (!URL.canParse(text, base.href)) throw new DOMException(`not an address: ${text.slice(0, 100)}`, 'SyntaxError');
  const url = new URL(text, base);
  if (url.protocol === 'http:') url.protocol = 'ws:';
  if (url.protocol === 'https:') url.protocol = 'wss:';
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:')
    throw new DOMException(`the address begins with ${url.protocol}, expected ws: or wss:`, 'SyntaxError');
  if (url.hash !== '' || url.href.endsWith('#'))
    throw new DOMException('the address of a WebSocket has no fragment', 'SyntaxError');
  return url;
}

function subprotocolsOf(protocols: unknown): string[] {
  const all = protocols === undefined || protocols === null ? [] : Array.isArray(protocols) ? protocols : [protocols];
  const texts = all.map(String);
  const wrong = texts.find((text, at) => !token.test(text) || texts.indexOf(text) !== at);
  if (wrong === undefined) return texts;
  throw new DOMException(
    `subprotocol ${JSON.stringify(wrong.slice(0, 100))}: expected tokens, each once`,
    'SyntaxError',
  );
}
