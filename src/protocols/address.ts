import type { Protocol, ProtocolValues } from './protocol.js';

/** A target's address, completed by the protocol's default path; the default query replaces the same keys. */
export function completeAddress(
  { defaultPath }: Pick<Protocol, 'defaultPath'>,
  address: string,
  options: ProtocolValues = {},
): URL {
  const url = new URL(address);
  const standard = new URL(typeof defaultPath === 'string' ? defaultPath : defaultPath(options), url);
  if (url.pathname === '/') url.pathname = standard.pathname;
  else if (/.\/$/.test(standard.pathname) && !url.pathname.endsWith('/')) url.pathname += '/';
  // As text: URLSearchParams would encode the braces of slots.
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
