import type { Protocol } from './protocol.js';

/**
 * Where clients connect: the address with what it lacks of the protocol's default path and query. A path ends with a
 * slash where the default one does. Keys of the default query replace what an address says of them; all others stay.
 */
export function completeAddress({ defaultPath }: Pick<Protocol, 'defaultPath'>, address: string): URL {
  const url = new URL(address);
  const standard = new URL(defaultPath, url);
  if (url.pathname === '/') url.pathname = standard.pathname;
  if (standard.pathname.endsWith('/') && !url.pathname.endsWith('/')) url.pathname += '/';
  // As text: URLSearchParams would write the braces of `{client}` anew.
  const own = partsOf(standard);
  const names = own.map(nameOf);
  url.search = [...partsOf(url).filter((part) => !names.includes(nameOf(part))), ...own].join('&');
  return url;
}

function partsOf({ search }: URL): string[] {
  return search.slice(1).split('&').filter(Boolean);
}

function nameOf(part: string): string {
  return part.split('=', 1)[0] ?? '';
}
