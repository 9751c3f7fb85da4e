/** An address for results and logs, without credentials and query. */
export function withoutSecrets(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.search = '';
  return address.endsWith('/') ? url.href : url.href.replace(/\/$/, '');
}
