import { BlockList, isIP } from 'node:net';

/** The hosts that a bench-runner may load. Names are compared as given, never resolved. */
export class AllowList {
  readonly #addresses = new BlockList();
  readonly #names = new Set<string>();
  readonly #suffixes: string[] = [];

  /** Entries: `loopback`, a host name, `*.suffix`, an address or a CIDR block. Throws a RangeError on any other. */
  constructor(readonly entries: readonly string[]) {
    for (const entry of entries) this.#add(entry.toLowerCase());
  }

  #add(entry: string): void {
    const [address = '', prefix, ...more] = entry.split('/');
    if (entry === 'loopback') {
      this.#names.add('localhost');
      this.#addresses.addSubnet('127.0.0.0', 8, 'ipv4');
      this.#addresses.addAddress('::1', 'ipv6');
    } else if (isIP(address)) {
      const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
      const widest = family === 'ipv4' ? 32 : 128;
      const bits = prefix === undefined ? widest : Number(prefix);
      const isBlock = /^\d+$/.test(prefix ?? '0') && bits <= widest && more.length === 0;
      if (!isBlock) throw new RangeError(`${JSON.stringify(entry)} is no CIDR block`);
      this.#addresses.addSubnet(address, bits, family);
    } else if (isName(entry)) {
      this.#names.add(entry);
    } else if (entry.startsWith('*.') && isName(entry.slice(2))) {
      this.#suffixes.push(entry.slice(1));
    } else {
      throw new RangeError(`${JSON.stringify(entry)} is no host name, *.suffix, address, CIDR block or "loopback"`);
    }
  }

  allows(url: string): boolean {
    const host = new URL(url).hostname.toLowerCase().replace(/^\[|\]$/g, '');
    const family = isIP(host);
    if (family !== 0) return this.#addresses.check(host, family === 4 ? 'ipv4' : 'ipv6');
    return this.#names.has(host) || this.#suffixes.some((suffix) => host.endsWith(suffix));
  }
}

/** Whether a text can be the host name of a URL. A name that ends in a number is an address to URLs: `127.1`. */
function isName(text: string): boolean {
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/.test(text) && !/(^|\.)(\d+|0x[0-9a-f]*)\.?$/.test(text);
}
