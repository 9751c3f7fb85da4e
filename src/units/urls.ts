/** An address as results and logs may show it: credentials and the query, where tokens travel, are left out. */
export function withoutSecrets(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.search = '';
  // An address without a path stays one.
  return address.endsWith('/') ? url.href : url.href.replace(/\/$/, '');
}
